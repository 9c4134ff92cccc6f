// The window into the run, and the marks in it.
let current = -1, marked = null; // segment of the path; call {row, i}
let pending = false;
function refresh() {
	if (pending)
		return;
	pending = true;
	requestAnimationFrame(() => {
		pending = false;
		draw();
		drawMarks();
		const step = (shown.to - shown.from) / 1e3;
		for (const id of ['times', 'ranks'])
			input(id).removeAttribute('aria-invalid');
		input('times').value = `${time(shown.from, step)} - ${time(shown.to, step)}`;
		const first = rows[Math.floor(shown.top)].rank, last = rows[Math.min(rows.length, Math.ceil(shown.bottom)) - 1].rank;
		input('ranks').value = first == last ? first : `${first}-${last}`;
	});
}

// Show times and rows, within the part of the run, not less than 20 ns and one row.
function show(from, to, top = shown.top, bottom = shown.bottom) {
	const length = Math.min(END - BEGIN, Math.max(20, to - from)), height = Math.min(rows.length, Math.max(1, bottom - top));
	shown.from = Math.max(BEGIN, Math.min(from, END - length));
	shown.to = shown.from + length;
	shown.top = Math.max(0, Math.min(top, rows.length - height));
	shown.bottom = shown.top + height;
	refresh();
}

function zoom(factor, at = (shown.from + shown.to) / 2) {
	show(at - (at - shown.from) * factor, at + (shown.to - at) * factor);
}
function zoomRows(factor, at) {
	show(shown.from, shown.to, at - (at - shown.top) * factor, at + (shown.bottom - at) * factor);
}
function move(part, down = 0) {
	const length = shown.to - shown.from, height = shown.bottom - shown.top;
	show(shown.from + part * length, shown.to + part * length, shown.top + down * height, shown.bottom + down * height);
}

// Show an interval of a row: not wider than a half of the window, and wide enough to be seen.
function goTo(number, from, to) {
	const length = to - from, now = shown.to - shown.from;
	const wide = length > now / 2 || length < now / 50 ? Math.max(length * 4, 20) : now;
	const middle = (from + to) / 2, height = shown.bottom - shown.top;
	const top = number < shown.top || number + 1 > shown.bottom ? number + 0.5 - height / 2 : shown.top;
	show(middle - wide / 2, middle + wide / 2, top, top + height);
}

function goToSegment(i) {
	if (i < 0 || i >= path.count)
		return;
	current = i;
	marked = null;
	goTo(path.row[i], path.start[i], path.end[i]);
	say(tellSegment(i));
}

// Length from which on segments make up 99 % of the path that is shown on the page.
const longSegment = (() => {
	const lengths = Float64Array.from({length: path.count}, (_, i) => path.end[i] - path.start[i]).sort();
	const whole = lengths.reduce((sum, length) => sum + length, 0);
	let i = 0;
	for (let sum = 0; i < lengths.length && (sum += lengths[i]) <= whole / 100; i++)
		;
	return lengths[i] ?? 0;
})();

// The next long segment, or the next that another row hands over to; the first one starts from the window.
function step(way, far) {
	let i = current < 0 ? firstAbove(path.end, 0, path.count, shown.from) - (way > 0 ? 1 : 0) : current;
	do
		i += way;
	while (i >= 0 && i < path.count && (far ? i > 0 && !switchesRank(i) : path.end[i] - path.start[i] < longSegment));
	goToSegment(i);
}

// ------------------------------------------------------------------ marks

function outline(g, number, from, to) {
	const x = Math.max(toX(from), size.left), y = toY(number);
	g.strokeRect(x, y, Math.max(2, Math.min(toX(to), size.width) - x), Math.max(2, rowHeight() - gap(rowHeight())));
}

// Mark the current segment, the call under the pointer and the call that it waited for.
function drawMarks(box) {
	const g = overlay.getContext('2d');
	g.clearRect(0, 0, size.width, size.height);
	g.save();
	g.beginPath();
	g.rect(size.left - 2, size.head - 2, size.width, size.height);
	g.clip();
	g.strokeStyle = g.fillStyle = colours.ink;
	g.lineWidth = 2 * size.scale;
	if (current >= 0)
		outline(g, path.row[current], path.start[current], path.end[current]);
	g.lineWidth = size.scale;
	if (marked) {
		outline(g, marked.row, begin[marked.i], end[marked.i]);
		if (before[marked.i])
			tellRest(marked.i, rows[marked.row], {
				cause: (kind, rank) => {
					const other = rows.findIndex(row => row.rank == rank), x = toX(begin[marked.i] + before[marked.i]);
					if (other >= 0)
						arrow(g, x, toY(other + 0.5), toY(marked.row + 0.5), true);
				},
				collective() {}, message() {},
			});
	}
	if (box)
		g.strokeRect(...box);
	g.restore();
}

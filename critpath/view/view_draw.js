// Drawing: what of the run is in the window, on a canvas.
const canvas = document.createElement('canvas'), overlay = document.createElement('canvas');
// The window: times in ns, rows from `top` to before `bottom`, both with fractions.
const shown = {from: BEGIN, to: END, top: 0, bottom: rows.length};
// Of the canvas, in pixels of the screen: `left` and `head` are for names and times.
const size = {width: 0, height: 0, left: 0, head: 0, scale: 1};
let wanted = null; // by function: is it searched for?  null: no search

const toX = ns => size.left + (ns - shown.from) / (shown.to - shown.from) * (size.width - size.left);
const toTime = x => shown.from + (x - size.left) / (size.width - size.left) * (shown.to - shown.from);
const rowHeight = () => (size.height - size.head) / (shown.bottom - shown.top);
const toY = row => size.head + (row - shown.top) * rowHeight();
const toRow = y => Math.floor(shown.top + (y - size.head) / rowHeight());

// Colours of the page; on paper always the light ones, which its first rule has.
let printing = false, colours = {};
function readColours() {
	const style = printing ? document.styleSheets[0].cssRules[0].style : getComputedStyle(document.documentElement);
	for (const [name, of] of Object.entries({outside: 'grid', dim: 'panel', before: 's1', execution: 's2', after: 's4',
		path: 's0', ink: 'ink', muted: 'muted', paper: 'paper', edge: 'edge'}))
		colours[name] = style.getPropertyValue('--' + of).trim();
}
// A colour "#rrggbb" as a pixel of ImageData on a little-endian machine.
const pixel = text => (0xff000000 | parseInt(text.slice(5, 7) + text.slice(3, 5) + text.slice(1, 3), 16)) >>> 0;

const SHARES = 4, BEFORE = 0, EXECUTION = 1, AFTER = 2, DIM = 3;

// Add [from, to) in columns to the share of each column that it covers.
function addShare(shares, columns, share, from, to) {
	from = Math.max(from, 0);
	to = Math.min(to, columns);
	for (let i = Math.floor(from); from < to; i++) {
		const next = Math.min(i + 1, to);
		shares[i * SHARES + share] += next - from;
		from = next;
	}
}

function addCalls(shares, columns, row, perNs) {
	const last = firstAbove(begin, row.first, row.end, shown.to);
	for (let i = firstAbove(end, row.first, row.end, shown.from); i < last; i++) {
		const from = (begin[i] - shown.from) * perNs, to = (end[i] - shown.from) * perNs;
		if (wanted && !wanted[names[i]]) {
			addShare(shares, columns, DIM, from, to);
			continue;
		}
		const middle = from + before[i] * perNs, late = to - after[i] * perNs;
		addShare(shares, columns, BEFORE, from, middle);
		addShare(shares, columns, EXECUTION, middle, late);
		addShare(shares, columns, AFTER, late, to);
	}
}

function addTiles(shares, columns, number, perNs) {
	const tile = tileLength, last = Math.min(run.tiles, Math.ceil((shown.to - BEGIN) / tile));
	for (let i = tileAt(shown.from); i < last; i++) {
		let at = (BEGIN + i * tile - shown.from) * perNs;
		for (let share = 0; share < DIM; share++) {
			const length = tiles[(number * run.tiles + i) * DIM + share] / 255 * tile * perNs;
			// Shares of a tile that is wider than a column have no order: spread them.
			if (tile * perNs > 2)
				spread(shares, columns, share, at, tile * perNs, length);
			else
				addShare(shares, columns, share, at, at += length);
		}
	}
}

function spread(shares, columns, share, from, width, length) {
	for (let i = Math.max(0, Math.floor(from)); i < Math.min(columns, Math.ceil(from + width)); i++)
		shares[i * SHARES + share] += length / width * (Math.min(i + 1, from + width) - Math.max(i, from));
}

// Fill lines y..end of the image with the shares of each column, stacked; `of` rows are added up in them.
function paintRows(pixels, shares, columns, y, end, of) {
	const inks = [colours.before, colours.execution, colours.after, colours.dim].map(pixel), rest = pixel(colours.outside);
	for (let x = 0; x < columns; x++) {
		let until = y, sum = 0;
		for (let share = 0; share < SHARES; share++) {
			sum += shares[x * SHARES + share] / of;
			const stop = Math.min(end, y + Math.round(sum * (end - y)));
			for (; until < stop; until++)
				pixels[until * columns + x] = inks[share];
		}
		for (; until < end; until++)
			pixels[until * columns + x] = rest;
	}
}

const gap = height => height > 5 * size.scale ? Math.round(2 * size.scale) : 0;

// Paint all rows that are shown.  Rows that share a line of the screen are averaged.
function paintCalls(pixels, columns, lines) {
	const perNs = columns / (shown.to - shown.from), shares = new Float32Array(columns * SHARES), height = rowHeight();
	const lastRow = Math.min(rows.length, Math.ceil(shown.bottom));
	for (let row = Math.floor(shown.top); row < lastRow;) {
		const y = Math.round(toY(row)) - size.head, next = Math.round(toY(row + 1)) - size.head;
		const first = row;
		shares.fill(0);
		do {
			if (tiles)
				addTiles(shares, columns, row, perNs);
			else
				addCalls(shares, columns, rows[row], perNs);
			row++;
		} while (row < lastRow && Math.round(toY(row + 1)) - size.head <= Math.max(y + 1, next));
		const end = Math.min(lines, Math.max(y + 1, next) - gap(height));
		if (end > 0)
			paintRows(pixels, shares, columns, Math.max(y, 0), end, row - first);
	}
}

// The critical path is a band at the bottom of its row.
const band = () => Math.max(1, Math.min(Math.round(rowHeight() * 0.35), Math.round(6 * size.scale)));

function paintPath(pixels, columns, lines) {
	const ink = pixel(colours.path), perNs = columns / (shown.to - shown.from), height = rowHeight();
	const last = firstAbove(path.start, 0, path.count, shown.to);
	for (let i = firstAbove(path.end, 0, path.count, shown.from); i < last; i++) {
		const bottom = Math.round(toY(path.row[i] + 1)) - size.head - gap(height), top = Math.max(0, bottom - band());
		const from = Math.max(0, Math.floor((path.start[i] - shown.from) * perNs));
		const to = Math.min(columns, Math.max(from + 1, Math.ceil((path.end[i] - shown.from) * perNs)));
		for (let y = top; y < Math.min(bottom, lines); y++)
			pixels.fill(ink, y * columns + from, y * columns + to);
	}
}

const pathY = row => Math.round(toY(row + 1)) - gap(rowHeight()) - band() / 2;

function arrow(g, x, from, to, head) {
	g.beginPath();
	g.moveTo(x, from);
	g.lineTo(x, to);
	g.stroke();
	if (!head)
		return;
	const way = Math.sign(to - from) * 6 * size.scale;
	g.beginPath();
	g.moveTo(x, to);
	g.lineTo(x - way / 2, to - way);
	g.lineTo(x + way / 2, to - way);
	g.fill();
}

// Rank switches are arrows.  If there are many, each column has one line for all of its own.
function drawRankSwitches(g) {
	const last = firstAbove(path.start, 0, path.count, shown.to), columns = new Map();
	let all = 0;
	for (let i = firstAbove(path.start, 0, path.count, shown.from); i < last; i++)
		if (switchesRank(i)) {
			const x = Math.round(toX(path.start[i])) + 0.5, low = Math.min(path.row[i], path.row[i - 1]);
			const known = columns.get(x) ?? [low, low];
			columns.set(x, [Math.min(known[0], low), Math.max(known[1], path.row[i], path.row[i - 1])]);
			all++;
		}
	g.strokeStyle = g.fillStyle = colours.path;
	g.lineWidth = 1.5 * size.scale;
	if (all > 300) {
		g.globalAlpha = all > 3000 ? 0.12 : 0.35;
		g.lineWidth = 1;
		columns.forEach(([low, high], x) => arrow(g, x, pathY(low), pathY(high), false));
		g.globalAlpha = 1;
		return;
	}
	for (let i = firstAbove(path.start, 0, path.count, shown.from); i < last; i++)
		if (switchesRank(i))
			arrow(g, toX(path.start[i]), pathY(path.row[i - 1]), pathY(path.row[i]), all <= 100);
}

// Begins and names of calls that are wide enough.
function drawNames(g) {
	const height = rowHeight(), perNs = (size.width - size.left) / (shown.to - shown.from), least = 8 * size.scale;
	g.font = `${11 * size.scale}px ${getComputedStyle(document.body).fontFamily}`;
	g.textBaseline = 'middle';
	for (let row = Math.floor(shown.top); height > 8 * size.scale && row < Math.min(rows.length, shown.bottom); row++) {
		const last = firstAbove(begin, rows[row].first, rows[row].end, shown.to), y = toY(row);
		for (let i = firstAbove(end, rows[row].first, rows[row].end, shown.from); i < last; i++) {
			if ((end[i] - begin[i]) * perNs < least)
				continue;
			const x = Math.max(size.left, toX(begin[i])), name = run.functions[names[i]];
			g.fillStyle = colours.paper;
			g.fillRect(toX(begin[i]), y, size.scale, height - gap(height) - band());
			g.fillRect(toX(end[i]), y, size.scale, height - gap(height) - band());
			g.fillStyle = '#000';
			if (height > 15 * size.scale && toX(end[i]) - x > g.measureText(name).width + 8 * size.scale &&
			    (!wanted || wanted[names[i]]))
				g.fillText(name, x + 4 * size.scale, y + (height - gap(height) - (height > 22 * size.scale ? band() : 0)) / 2);
		}
	}
}

function drawAxis(g) {
	const length = shown.to - shown.from, wide = 90 * size.scale / (size.width - size.left) * length;
	const ten = 10 ** Math.floor(Math.log10(wide)), step = [1, 2, 5, 10].map(n => n * ten).find(n => n >= wide);
	g.font = `${11 * size.scale}px ${getComputedStyle(document.body).fontFamily}`;
	g.fillStyle = colours.muted;
	g.textBaseline = 'middle';
	g.textAlign = 'left';
	for (let at = Math.ceil(shown.from / step) * step; at <= shown.to; at += step) {
		g.fillRect(toX(at), size.head - 5 * size.scale, size.scale, 5 * size.scale);
		const text = time(at, step), room = g.measureText(text).width;
		g.fillText(text, Math.min(Math.max(toX(at) - room / 2, size.left), size.width - room), size.head / 2 - 2 * size.scale);
	}
	g.textAlign = 'right';
	const every = Math.ceil(14 * size.scale / rowHeight());
	for (let row = Math.ceil(shown.top / every) * every; row < Math.min(rows.length, shown.bottom); row += every)
		g.fillText(rows[row].name, size.left - 6 * size.scale, toY(row) + Math.min(rowHeight(), 14 * size.scale) / 2);
	g.textAlign = 'left';
	g.fillText('rank', 0, size.head / 2 - 2 * size.scale);
}

// Fill the width that there is, or that of a sheet of paper.
function resize() {
	// While a window changes, a plot may have no width at all.
	const room = printing ? 720 : Math.max(100, canvas.parentNode.clientWidth);
	size.scale = printing ? 3 : window.devicePixelRatio || 1;
	const high = Math.max(240, Math.min(900, window.innerHeight * 0.68));
	const css = Math.round(Math.max(90, Math.min(rows.length * 96, high))) + 24;
	size.width = Math.round(room * size.scale);
	size.height = Math.round(css * size.scale);
	size.left = Math.round(48 * size.scale);
	size.head = Math.round(24 * size.scale);
	for (const each of [canvas, overlay]) {
		each.width = size.width;
		each.height = size.height;
		each.style.aspectRatio = `${size.width} / ${size.height}`;
	}
}

function draw() {
	const g = canvas.getContext('2d'), columns = size.width - size.left, lines = size.height - size.head;
	const image = g.createImageData(columns, lines), pixels = new Uint32Array(image.data.buffer);
	readColours();
	g.clearRect(0, 0, size.width, size.height);
	pixels.fill(pixel(colours.paper));
	paintCalls(pixels, columns, lines);
	paintPath(pixels, columns, lines);
	g.putImageData(image, size.left, size.head);
	g.save();
	g.beginPath();
	g.rect(size.left, size.head, columns, lines);
	g.clip();
	drawNames(g);
	drawRankSwitches(g);
	g.restore();
	drawAxis(g);
}

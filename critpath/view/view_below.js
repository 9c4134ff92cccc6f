// What the MPI library calls below MPI: only on pages of runs that have it, after all other scripts, some of whose
// functions it replaces.  critpath/view/view_below.h says how it is packed.
const belowReader = new Reader('below');

// Messages as arrows: rows and times of both ends.
const arrows = Array.from({length: belowReader.number()}, () => {
	const from = belowReader.number(), to = belowReader.number(), begin = belowReader.number();
	return {from, to, begin, end: begin + belowReader.signed()};
});

// By row: calls by their begin, those within another one behind it.
function readBelow() {
	const count = belowReader.number();
	const calls = {count, begin: new Float64Array(count), end: new Float64Array(count), latest: new Float64Array(count),
		names: new Uint8Array(count), pending: new Uint8Array(count), numbers: new Float64Array(count)};
	for (let i = 0, time = 0, latest = 0; i < count; i++) {
		const head = belowReader.number();
		calls.names[i] = head >> 1;
		calls.pending[i] = head & 1;
		calls.begin[i] = time += belowReader.signed();
		calls.end[i] = time + belowReader.number();
		// The latest end so far, which ascends as begins do.
		calls.latest[i] = latest = Math.max(latest, calls.end[i]);
		calls.numbers[i] = belowReader.number() - 1;
	}
	return calls;
}
const below = rows.map(readBelow);
const kindOf = (calls, i) => run.below_kinds[calls.names[i]];

// ------------------------------------------------------------- kinds of calls

// Colours by kind of call in place of waits: those that complete requests, that begin them, and all others.
let byKind = true;
const shareOfKind = name => /^MPI_(Wait|Test)/.test(name) ? BEFORE : /^MPI_(I(?!probe|nit|mprobe|nter)|Start)/.test(name) ? AFTER : EXECUTION;
const shareOf = Object.fromEntries(Object.entries(run.functions).map(([number, name]) => [number, shareOfKind(name)]));
const kinds = {before: '#e5584f', execution: '#56b4e9', after: '#2ca77f', path: '#b58900'};

const readColoursOfWaits = readColours;
readColours = () => {
	readColoursOfWaits();
	colours.poll = '#cc5fa3';
	if (byKind)
		Object.assign(colours, kinds, {outside: colours.paper});
};

const addCallsByWait = addCalls;
addCalls = (shares, columns, row, perNs) => {
	if (!byKind)
		return addCallsByWait(shares, columns, row, perNs);
	const last = firstAbove(begin, row.first, row.end, shown.to);
	for (let i = firstAbove(end, row.first, row.end, shown.from); i < last; i++)
		addShare(shares, columns, wanted && !wanted[names[i]] ? DIM : shareOf[names[i]],
			(begin[i] - shown.from) * perNs, (end[i] - shown.from) * perNs);
};

// ---------------------------------------------------------------- below MPI

// A stick with a bullet on it, of half the height of the row.
function stick(g, x, foot, height, ink) {
	g.fillStyle = ink;
	g.fillRect(x - size.scale / 2, foot - height, size.scale, height);
	g.beginPath();
	g.arc(x, foot - height, 2.5 * size.scale, 0, 7);
	g.fill();
}

// Polls are bars, low ones if they found nothing, with sticks; posts of data are black sticks above them.
function drawBelowRow(g, number) {
	const calls = below[number], height = rowHeight(), foot = toY(number + 1) - gap(height) - band(), room = height - gap(height) - band();
	const last = firstAbove(calls.begin, 0, calls.count, shown.to), first = firstAbove(calls.latest, 0, calls.count, shown.from);
	// Of very many, not each is seen: leave out some.
	const posts = [], finds = [], step = Math.max(1, Math.floor((last - first) / 30000));
	g.fillStyle = colours.poll;
	for (let i = first, until = -1; i < last; i += step) {
		const kind = kindOf(calls, i), x = toX(calls.begin[i]), end = Math.max(toX(calls.end[i]), x + size.scale);
		if (kind == 'post')
			posts.push(x);
		if (kind == 'poll')
			finds.push(x);
		if ((kind != 'nothing' && kind != 'poll') || (kind == 'nothing' && end <= until))
			continue;
		g.globalAlpha = kind == 'nothing' ? 0.6 : 1;
		g.fillRect(x, foot - room * (kind == 'nothing' ? 0.15 : 0.25), end - x, room * (kind == 'nothing' ? 0.15 : 0.25));
		until = end;
	}
	g.globalAlpha = 1;
	for (const [places, ink, high] of [[finds, colours.poll, 0.42], [posts, colours.ink, 0.5]])
		places.reduce((before, x) => x - before < size.scale ? before : (stick(g, x, foot, room * high, ink), x), -Infinity);
}

function drawMessages(g) {
	const inside = arrows.filter(of => of.end >= shown.from && of.begin <= shown.to);
	if (inside.length > 300)
		return;
	g.strokeStyle = g.fillStyle = colours.ink;
	g.lineWidth = size.scale;
	for (const of of inside) {
		const x = toX(of.begin), y = toY(of.from + 0.5), toward = [toX(of.end), toY(of.to + 0.5)];
		const angle = Math.atan2(toward[1] - y, toward[0] - x);
		g.beginPath();
		g.moveTo(x, y);
		g.lineTo(...toward);
		g.stroke();
		g.beginPath();
		g.moveTo(...toward);
		for (const side of [0.4, -0.4])
			g.lineTo(toward[0] - 8 * size.scale * Math.cos(angle + side), toward[1] - 8 * size.scale * Math.sin(angle + side));
		g.fill();
	}
}

const drawNamesOnly = drawNames;
drawNames = g => {
	drawNamesOnly(g);
	for (let row = Math.floor(shown.top); rowHeight() > 12 * size.scale && row < Math.min(rows.length, shown.bottom); row++)
		drawBelowRow(g, row);
	if (byKind)
		drawMessages(g);
};

// ------------------------------------------------------------------- texts

function tellBelow(calls, i) {
	const kind = kindOf(calls, i), number = calls.numbers[i], length = time(calls.end[i] - calls.begin[i]);
	if (kind == 'nothing')
		return `${number} polls found nothing in ${length}`;
	return `${run.below[calls.names[i]]}, ${length}` + (kind == 'poll' ? `, finds ${number}` : '') +
		(kind == 'post' ? (number >= 0 ? `, ${number} bytes` : '') + (calls.pending[i] ? ', goes on' : ', complete') : '');
}

// The calls below MPI at a time, the outermost first: of short ones the nearest within 2 pixels.
function belowAt(calls, ns) {
	const near = 2 * size.scale * (shown.to - shown.from) / (size.width - size.left), found = [];
	for (let i = firstAbove(calls.latest, 0, calls.count, ns - near); i < calls.count && calls.begin[i] <= ns + near; i++)
		if (calls.end[i] >= ns - near)
			found.push(i);
	return found.slice(0, 4);
}

const tellPlaceInMpi = tellPlace;
tellPlace = (number, ns) => [tellPlaceInMpi(number, ns), ...belowAt(below[number], ns).map(i => tellBelow(below[number], i))].join('; below: ');

// ---------------------------------------------------------------- controls

const legend = view.querySelector('.legend'), legendOfWaits = legend.innerHTML;
const key = (ink, text) => `<span><i style="background:${ink}"></i>${text}</span>`;
function setLegend() {
	legend.innerHTML = (byKind ? key('var(--paper)', 'outside of MPI') + key(kinds.before, 'waits and tests') + key(kinds.after, 'begins of messages') +
		key(kinds.execution, 'other calls') + key(kinds.path, 'critical path') : legendOfWaits) +
		key('#cc5fa3', 'polls below MPI (low: found nothing)') + key('var(--ink)', 'posts of data');
}
const choice = document.createElement('label');
choice.style = 'display:flex;gap:.4em;align-items:center';
choice.innerHTML = '<input id="kinds" type="checkbox" checked> kinds of calls';
view.querySelector('.tools').append(choice);
input('kinds').addEventListener('change', event => {
	byKind = event.target.checked;
	setLegend();
	refresh();
});
setLegend();
refresh();

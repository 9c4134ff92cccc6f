// The page: its controls, pointer, keys and search.
const view = document.getElementById('view');
view.hidden = false;
view.innerHTML = `<h2>The run</h2>
<div class="tools"><span><button data-do="previous" title="previous long segment of the critical path (P)">◀ previous</button>
<button data-do="next" title="next long segment of the critical path (N)">next ▶</button></span>
<span><button data-do="closer" title="zoom in (+)">+</button> <button data-do="wider" title="zoom out (-)">−</button>
<button data-do="all" title="the whole run (0)">all</button></span>
<label>function <input id="search" type="search" list="functions" size="16" autocomplete="off"></label>
<datalist id="functions"></datalist>
<label>ranks <input id="ranks" size="8"></label> <label>time <input id="times" size="22"></label></div>
<div class="plot" tabindex="0" aria-label="the run: a row for each rank, an interval for each call"></div>
<p class="legend"><span><i class="outside"></i>outside of MPI</span><span><i class="before"></i>wait before</span>
<span><i class="execution"></i>execution</span><span><i class="after"></i>wait after</span>
<span><i class="path"></i>critical path</span></p>
<p id="readout" aria-live="polite"></p>
<details><summary>Mouse, keys and touch</summary><p class="note">N and P: next and previous long segment of the critical path (the longest,
which make up 99 % of it), with Shift the next rank switch. Wheel: zoom; with Shift: move in time; with Control: zoom the ranks. Drag: move; with Shift:
zoom to what is marked. + and -, arrows, 0: zoom, move, the whole run. One finger moves in time, two zoom. Enter in the field
“function”: the next call of it; with Shift the one before.</p></details>`;
const plot = view.querySelector('.plot'), readout = view.querySelector('#readout');
const input = id => view.querySelector('#' + id);
plot.append(canvas, overlay);

// ---------------------------------------------------------------- pointer

const place = event => {
	const box = overlay.getBoundingClientRect(), scale = size.width / box.width;
	return {x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale};
};
const pointers = new Map();
let grabbed = null;

function hover(at) {
	const number = toRow(at.y);
	if (at.x < size.left || at.y < size.head || number >= rows.length)
		return;
	say(tellPlace(number, toTime(at.x)));
	drawMarks();
}

function grab(event) {
	overlay.setPointerCapture(event.pointerId);
	pointers.set(event.pointerId, place(event));
	const all = [...pointers.values()];
	grabbed = {...shown, x: all.reduce((sum, at) => sum + at.x, 0) / all.length, y: all[0].y, box: event.shiftKey,
		wide: all.length > 1 ? Math.abs(all[0].x - all[1].x) : 0};
}

function drag(event) {
	const at = place(event);
	if (!pointers.has(event.pointerId))
		return hover(at);
	pointers.set(event.pointerId, at);
	const all = [...pointers.values()], x = all.reduce((sum, each) => sum + each.x, 0) / all.length;
	if (grabbed.box)
		return drawMarks([grabbed.x, grabbed.y, at.x - grabbed.x, at.y - grabbed.y]);
	const perPixel = (grabbed.to - grabbed.from) / (size.width - size.left), factor = grabbed.wide > 9 && all.length > 1 ?
		grabbed.wide / Math.max(9, Math.abs(all[0].x - all[1].x)) : 1;
	const hold = grabbed.from + (grabbed.x - size.left) * perPixel, from = hold - (x - size.left) * perPixel * factor;
	const down = event.pointerType == 'touch' ? 0 :
		(grabbed.y - at.y) / (size.height - size.head) * (grabbed.bottom - grabbed.top);
	show(from, from + (grabbed.to - grabbed.from) * factor, grabbed.top + down, grabbed.bottom + down);
}

function release(event) {
	const at = place(event), from = grabbed;
	if (!pointers.delete(event.pointerId) || !from)
		return;
	const far = Math.abs(at.x - from.x) > 4;
	if (from.box && far)
		show(toTime(Math.min(at.x, from.x)), toTime(Math.max(at.x, from.x)), toRow(Math.min(at.y, from.y)), toRow(Math.max(at.y, from.y)) + 1);
	else if (!far)
		hover(at);
	grabbed = pointers.size ? {...shown, x: [...pointers.values()][0].x, y: [...pointers.values()][0].y, wide: 0} : null;
}

overlay.addEventListener('pointerdown', grab);
overlay.addEventListener('pointermove', drag);
overlay.addEventListener('pointerup', release);
overlay.addEventListener('pointercancel', release);
overlay.addEventListener('wheel', event => {
	const at = place(event), factor = 1.0015 ** (event.deltaY * (event.deltaMode ? 30 : 1));
	event.preventDefault();
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
		move((event.deltaX || event.deltaY) / 1000);
	else if (event.ctrlKey)
		zoomRows(factor, shown.top + (at.y - size.head) / rowHeight());
	else
		zoom(factor, toTime(Math.max(at.x, size.left)));
}, {passive: false});

// ------------------------------------------------------- keys and controls

const actions = {
	previous: () => step(-1, false), next: () => step(1, false), closer: () => zoom(0.5), wider: () => zoom(2),
	all: () => show(BEGIN, END, 0, rows.length),
};
const keys = {
	n: actions.next, p: actions.previous, N: () => step(1, true), P: () => step(-1, true), '+': actions.closer,
	'=': actions.closer, '-': actions.wider, 0: actions.all, ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
};
document.addEventListener('keydown', event => {
	if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input'))
		return;
	const down = {ArrowUp: -0.2, ArrowDown: 0.2}[event.key], part = shown.bottom - shown.top < rows.length;
	if (!keys[event.key] && !(down && part))
		return;
	event.preventDefault();
	if (keys[event.key])
		keys[event.key]();
	else
		move(0, down);
});
view.addEventListener('click', event => actions[event.target.dataset?.do]?.());

function search() {
	const text = input('search').value.trim().toLowerCase();
	wanted = sought = null;
	if (text) {
		wanted = [];
		for (const [number, name] of Object.entries(run.functions))
			wanted[number] = name.toLowerCase().includes(text);
		let found = 0, sum = 0, waits = 0;
		for (let i = 0; i < count; i++)
			if (wanted[names[i]]) {
				found++;
				sum += end[i] - begin[i];
				waits += before[i] + after[i];
			}
		say(`${found} calls, ${time(sum)}, of which they wait ${time(waits)}`);
	}
	refresh();
}

// Go to the next call of the searched functions: after the one that was found last, if that is shown, else in the window.
let sought = null;
function goToCall(way) {
	const goesOn = sought && end[sought.i] >= shown.from && begin[sought.i] <= shown.to;
	const from = goesOn ? begin[sought.i] : way > 0 ? shown.from - 1 : shown.to + 1;
	let best = null;
	rows.forEach((row, number) => {
		for (let i = way > 0 ? firstAbove(begin, row.first, row.end, from) : firstAbove(begin, row.first, row.end, from - 1) - 1;
			i >= row.first && i < row.end; i += way)
			if (wanted?.[names[i]]) {
				if (!best || (begin[i] - begin[best.i]) * way < 0)
					best = {row: number, i};
				break;
			}
	});
	if (!best) {
		say(wanted ? `no ${way > 0 ? 'later' : 'earlier'} call` : 'type a part of the name of a function');
		return;
	}
	marked = sought = best;
	current = -1;
	goTo(best.row, begin[best.i], end[best.i]);
	say(tellCall(best.row, best.i));
}
input('search').addEventListener('input', search);
input('search').addEventListener('keydown', event => event.key == 'Enter' && goToCall(event.shiftKey ? -1 : 1));
input('search').disabled = !!tiles;
for (const name of Object.values(run.functions).sort())
	input('functions').append(new Option(name));

// What a field expects, if its text is not that; the text stays, to be corrected.
function refuse(field, expected) {
	field.setAttribute('aria-invalid', 'true');
	say(`${field.id}: “${field.value}” is not ${expected}`);
}

input('ranks').addEventListener('change', event => {
	const text = event.target.value.trim(), found = /^(\d+)\s*(?:-\s*(\d+))?$/.exec(text || `${rows[0].rank}-${rows[rows.length - 1].rank}`);
	const first = +found?.[1], last = +(found?.[2] ?? first);
	const top = rows.findIndex(row => row.rank >= first), after = rows.findIndex(row => row.rank > last);
	if (!found || first > last || top < 0 || (after >= 0 && after <= top))
		return refuse(event.target, `a rank or neighbouring ranks of this page, such as ${rows[0].rank}-${rows[rows.length - 1].rank}`);
	show(shown.from, shown.to, top, after < 0 ? rows.length : after);
});
input('times').addEventListener('change', event => {
	const units = {s: 1e9, ms: 1e6, us: 1e3, 'µs': 1e3, ns: 1};
	const found = [...event.target.value.matchAll(/([\d.]+)\s*(s|ms|us|µs|ns)\b/g)].map(([, value, unit]) => value * units[unit]);
	if (!event.target.value.trim())
		return show(BEGIN, END);
	if (found.length != 2 || found[0] >= found[1] || found[0] >= END || found[1] <= BEGIN)
		return refuse(event.target, `a time in the run to another one, such as ${time(BEGIN)} - ${time(END)}`);
	show(found[0], found[1]);
});

// ------------------------------------------------------------------ begin

function begins(paper) {
	printing = paper;
	resize();
	draw();
	drawMarks();
}
addEventListener('beforeprint', () => begins(true));
addEventListener('afterprint', () => begins(false));
new ResizeObserver(() => { resize(); refresh(); }).observe(plot);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', refresh);
say((tiles ? `${run.calls} calls are shown as shares of time of each rank, ${time(tileLength)} wide. ` : '') +
	(run.least_segment_ns ? `Segments of the critical path shorter than ${time(run.least_segment_ns)} are left out. ` : '') +
	'Point at a call, or press N for the next long segment of the critical path.');
resize();
show(BEGIN, END);

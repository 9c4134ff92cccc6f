// Charts of lines: the values under the pointer, and zoom.  Heat maps: the numbers of the cell under the pointer.  What a chart shows is read off the picture, which has ticks
// and paths, so that charts know nothing of this script.  There is no less-than sign and no ampersand in it, so that
// the page stays well-formed.
for (const svg of document.querySelectorAll('svg.d')) {
	const chart = readChart(svg);
	if (chart) zoomChart(chart, tellValues(chart));
	else if (svg.querySelector('.plane use')) tellCells(svg);
}

function all(place, what) {
	return [...place.querySelectorAll(what)];
}

function number(element, name) {
	return +element.getAttribute(name);
}

function set(element, attributes) {
	for (const name in attributes) element.setAttribute(name, attributes[name]);
	return element;
}

function make(name, attributes) {
	return set(document.createElementNS(document.querySelector('svg').namespaceURI, name), attributes);
}

// Scale of an axis from its outermost ticks: pixels of a value, and value of pixels.
function readScale(ticks, side, off) {
	const [a, b] = [ticks[0], ticks[ticks.length - 1]];
	const [px, value] = [number(a, side) - off, +a.textContent];
	const size = (b.textContent - value) / (number(b, side) - off - px);
	return {value: at => value + (at - px) * size, px: at => px + (at - value) / size};
}

// Points of a path "M x y L x y ...".
function pointsOf(path) {
	return path.getAttribute('d').split(/[MLZ]/i).filter(pair => pair.trim()).map(pair => pair.trim().split(' ').map(Number));
}

// Height of a line at x.
function heightAt(points, at) {
	let i = points.findIndex(point => point[0] > at);
	i = i > 0 ? i : i ? points.length - 1 : 1;
	const [a, b] = [points[i - 1], points[i]];
	return a[0] == b[0] ? b[1] : a[1] + (b[1] - a[1]) * (at - a[0]) / (b[0] - a[0]);
}

// What a picture shows as a whole, or null if it is no chart of lines.
function readChart(svg) {
	const panels = all(svg, '.panel'), ticks = all(svg, '.xtick'), names = {};
	if (!panels.length || ticks.length == 1 || !ticks.length) return null;
	for (const label of all(svg, '.series > title'))
		names[label.parentNode.querySelector('.line')?.classList[0]] = label.textContent;
	const axis = panels[0].querySelector('.axis');
	return {
		svg, low: number(axis, 'x1'), high: number(axis, 'x2'), x: readScale(ticks, 'x', 0), tickCount: ticks.length,
		title: all(svg, '.name').pop().textContent,
		panels: panels.map(panel => {
			const texts = all(panel, 'text.small');
			return {
				y: texts.length > 1 ? readScale(texts, 'y', 4) : null, name: panel.querySelector('.name').textContent,
				top: number(panel.querySelector('clipPath rect'), 'y') + 6, bottom: number(panel.querySelector('.axis'), 'y1'),
				lines: all(panel, 'path.line').map(path => ({label: names[path.classList[0]], points: pointsOf(path)})),
			};
		}),
	};
}

// Show the values under the pointer below the picture.  The result places the mark of the pointer again.
function tellValues(chart) {
	const {svg, low, high, panels} = chart, last = panels[panels.length - 1];
	// The title of an axis may end in a remark: "runtime T (ms), not from 0".
	const say = (name, values) => name.replace(/( \(([^)]*)\)(, .*)?)?$/, (all, part, unit) => ' ' + values + (unit ? ' ' + unit : ''));
	const short = value => '' + +value.toPrecision(4);
	const text = svg.insertAdjacentElement('afterend', document.createElement('p'));
	const mark = make('line', {class: 'cross readout', y1: panels[0].top, y2: last.bottom});
	text.className = 'readout ' + svg.classList[1];
	svg.addEventListener('pointermove', event => {
		const px = Math.min(Math.max(chart.pxOf(event), chart.left), high), at = chart.whole(px);
		svg.append(set(mark, {x1: px, x2: px}));
		text.textContent = [say(chart.title, short(chart.x.value(at)))].concat(panels.filter(panel => panel.y).map(panel =>
			say(panel.name, panel.lines.map(line => (panel.lines.length > 1 ? line.label + ' ' : '') +
				short(panel.y.value(heightAt(line.points, at)))).join(', ')))).join('; ');
	});
	svg.addEventListener('pointerleave', () => { mark.remove(); text.textContent = ''; });
	return () => mark.remove();
}

// Write a number with its unit: t is ns, b is bytes.
function withUnit(value, kind) {
	const short = number => '' + +number.toPrecision(4);
	const pick = (units, size) => {
		const i = Math.max(0, units.findLastIndex((unit, i) => Math.abs(value) >= size ** i));
		return short(value / size ** i) + ' ' + units[i];
	};
	if (kind == 't') return pick(['ns', 'µs', 'ms', 's'], 1000);
	return kind == 'b' ? pick(['B', 'KiB', 'MiB', 'GiB'], 1024) : short(value) + (kind == '%' ? ' %' : '');
}

// Show the numbers of the cell under the pointer below the picture.  They are where the cells are defined, three digits
// and a letter each: m is 1, n is 10.
function tellCells(svg) {
	const text = svg.insertAdjacentElement('afterend', document.createElement('p'));
	const mark = make('rect', {class: 'mark'});
	text.className = 'readout ' + svg.classList[1];
	const leave = () => { mark.remove(); text.textContent = ''; };
	const tell = event => {
		const plane = event.target.closest('.plane'), use = plane?.querySelector('use');
		if (!use) return leave();
		const {size, names, kinds, x, y, cells} = document.querySelector(use.getAttribute('href')).dataset;
		if (!cells) return leave();
		const [columns, rows] = size.split(' ').map(Number), box = plane.querySelector('.empty'), all = box.getBoundingClientRect();
		const at = (px, from, room, count) => Math.min(Math.max(Math.floor((px - from) / room * count), 0), count - 1);
		const column = at(event.clientX, all.left, all.width, columns), line = at(event.clientY, all.top, all.height, rows);
		const labels = names.split('|'), count = kinds.length - 2, first = ((rows - 1 - line) * columns + column) * count;
		const numbers = cells.match(/_|-?\d+[a-z]/g).slice(first, first + count).map(one =>
			one == '_' ? NaN : parseInt(one) * 10 ** (one.charCodeAt(one.length - 1) - 109));
		const [width, height] = [number(box, 'width') / columns, number(box, 'height') / rows];
		box.parentNode.append(set(mark, {x: number(box, 'x') + column * width, y: number(box, 'y') + line * height, width, height}));
		text.textContent = plane.querySelector('title').textContent + '; ' + [x, y].map((list, i) => parseFloat(list.split(' ')[[column, rows - 1 - line][i]])).concat(numbers).map((value, i) =>
			isNaN(value) ? '' : labels[i] + ' ' + withUnit(value, kinds[i])).filter(part => part).join(', ') +
			(numbers.every(isNaN) ? ': not measured' : '');
	};
	svg.addEventListener('pointermove', tell);
	svg.addEventListener('pointerdown', tell);
	svg.addEventListener('pointerleave', leave);
}

// Let a reader zoom: buttons, a drag with the mouse, Ctrl and the wheel, two fingers.  Coordinates of the whole picture are
// "at", those of the part that is shown are "px".
function zoomChart(chart, removeMark) {
	const {svg, low, high, panels} = chart, nodes = [...svg.childNodes], most = 16, width = svg.viewBox.baseVal.width;
	let from = low, to = high;
	chart.left = low;
	chart.whole = px => from + (px - chart.left) / (high - chart.left) * (to - from);
	chart.pxOf = event => {
		const box = svg.getBoundingClientRect();
		return (event.clientX - box.left) / box.width * width;
	};
	const place = at => chart.left + (at - from) / (to - from) * (high - chart.left);
	const inside = at => at >= from - 0.01 ? to + 0.01 >= at : false;

	// Show the part from `a` to `b`, within the whole.
	function show(a, b) {
		const size = Math.min(Math.max(b - a, (high - low) / most), high - low);
		from = Math.min(Math.max((a + b - size) / 2, low), high - size);
		to = from + size;
		chart.left = low;
		removeMark();
		svg.replaceChildren(...nodes.map(node => node.cloneNode(true)));
		if (high - low - size > 0.01) magnify();
		// A button that is disabled would lose the focus.
		buttons.forEach((button, i) => button.setAttribute('aria-disabled',
			i ? size + 0.01 > high - low : (high - low) / most > size - 0.01));
	}

	// Round values between two, at most `count`, as [value, text].
	function roundValues(least, greatest, count) {
		const power = 10 ** Math.floor(Math.log10((greatest - least) / count));
		const step = [1, 2, 5, 10].find(part => count >= (greatest - least) / (part * power)) * power, found = [];
		const decimals = Math.max(0, -Math.floor(Math.log10(step * 1.001)));
		for (let i = Math.ceil(least / step - 1e-9); greatest / step + 1e-9 >= i; i++) found.push([i * step, (i * step).toFixed(decimals)]);
		return found;
	}

	// Part of a panel's height that its lines need from `from` to `to`.
	function heightOf(panel) {
		const heights = panel.lines.flatMap(line => [heightAt(line.points, from), heightAt(line.points, to)].concat(
			line.points.filter(point => inside(point[0])).map(point => point[1])));
		const [a, b] = [Math.min(...heights), Math.max(...heights)], room = panel.bottom - panel.top;
		if (!panel.y || !heights.length) return [panel.top, panel.bottom];
		const size = Math.min(Math.max((b - a) * 1.2, room / most), room);
		const top = Math.min(Math.max((a + b - size) / 2, panel.top), panel.bottom - size);
		return [top, top + size];
	}

	function magnify() {
		const parts = panels.map(heightOf);
		const values = panels.map((panel, i) => panel.y ? roundValues(panel.y.value(parts[i][1]), panel.y.value(parts[i][0]),
			Math.floor((panel.bottom - panel.top) / 28)) : []);
		chart.left = Math.max(low, ...values.flat().map(([, text]) => 9 + extent(text)));
		all(svg, '.panel').forEach((element, i) => {
			const y = at => panels[i].top + (at - parts[i][0]) / (parts[i][1] - parts[i][0]) * (panels[i].bottom - panels[i].top);
			magnifyPanel(element, panels[i], y, values[i]);
		});
		for (const tick of all(svg, '.xtick')) tick.remove();
		for (const [value, text] of xValues())
			set(svg.appendChild(make('text', {class: 'small muted xtick', x: place(chart.x.px(value)), y: panels[panels.length - 1].bottom + 17,
				'text-anchor': 'middle'})), {}).textContent = text;
		for (const label of all(svg, '[data-x]')) {
			const at = +label.dataset.x, text = label.querySelector('text');
			set(label, {transform: 'translate(' + (place(at) - at) + ')'});
			if (!inside(at)) label.remove();
			else if (0 > text.getBBox().x + place(at) - at) text.remove();
			else if (text.getBBox().x + text.getBBox().width + place(at) - at > width) text.remove();
		}
	}

	function extent(text) {
		const probe = svg.appendChild(make('text', {class: 'small'}));
		probe.textContent = text;
		const size = probe.getComputedTextLength();
		probe.remove();
		return Math.ceil(size);
	}

	// As many values of the horizontal axis as have room, two at least.
	function xValues() {
		const fits = found => {
			const boxes = found.map(([value, text]) => [place(chart.x.px(value)), extent(text) / 2]);
			return boxes.every(([px, half], i) => width > px + half ? !i || px - half > boxes[i - 1][0] + boxes[i - 1][1] + 10 : false);
		};
		for (let count = chart.tickCount; count > 1; count--) {
			const found = roundValues(chart.x.value(from), chart.x.value(to), count);
			if (found.length > 1) if (fits(found)) return found;
		}
		// Finer values have one near each end.
		for (let count = 4; most * 4 >= count; count *= 2) {
			const found = roundValues(chart.x.value(from), chart.x.value(to), count).filter(one => fits([one]));
			const ends = [found[0], found[found.length - 1]];
			if (found.length > 1) if (fits(ends)) return ends;
		}
		return [];
	}

	function magnifyPanel(element, panel, y, values) {
		const clip = element.querySelector('clipPath rect');
		set(clip, {x: chart.left, width: high - chart.left});
		for (const path of all(element, 'path.line, path.area'))
			path.setAttribute('d', path.getAttribute('d').replace(/(-?[\d.]+) (-?[\d.]+)/g, (pair, a, b) =>
				place(+a).toFixed(2) + ' ' + y(+b).toFixed(2)));
		for (const point of all(element, '.point')) {
			const box = point.getBBox(), a = box.x + box.width / 2, b = box.y + box.height / 2;
			set(point, {transform: 'translate(' + (place(a) - a) + ' ' + (y(b) - b) + ')'});
		}
		for (const zone of all(element, 'rect.zone, rect[fill]')) {
			const a = Math.max(number(zone, 'x'), from), b = Math.min(number(zone, 'x') + number(zone, 'width'), to);
			if (a >= b) zone.remove();
			else set(zone, {x: place(a), width: place(b) - place(a)});
		}
		for (const line of all(element, '.end, .cross')) {
			const at = number(line, 'x1');
			if (inside(at)) set(line, {x1: place(at), x2: place(at)});
			else line.remove();
		}
		for (const level of all(element, '.level')) {
			const at = y(number(level, 'y1'));
			if (panel.top > at || at > panel.bottom) level.remove();
			else set(level, {x1: chart.left, y1: at, y2: at});
		}
		set(element.querySelector('.axis'), {x1: chart.left});
		if (panel.y) magnifyGrid(element, panel, y, values);
		for (const tick of all(element, '.tick')) tick.remove();
		for (const [value] of xValues()) {
			const px = place(chart.x.px(value));
			element.prepend(make('line', {class: 'tick', x1: px, x2: px, y1: panel.bottom, y2: panel.bottom + 5}));
		}
	}

	function magnifyGrid(element, panel, y, values) {
		for (const old of all(element, '.grid, text.small')) old.remove();
		for (const [value, text] of values) {
			const px = y(panel.y.px(value));
			element.prepend(make('line', {class: 'grid', x1: chart.left, x2: high, y1: px, y2: px}),
				make('text', {class: 'small muted', x: chart.left - 5, y: px + 4, 'text-anchor': 'end'}));
			element.querySelector('text').textContent = text;
		}
	}

	// Magnify `times`, with what is at `px` kept where it is.
	function zoom(times, px) {
		const at = chart.whole(px), size = (to - from) / times, part = (px - chart.left) / (high - chart.left);
		show(at - part * size, at + (1 - part) * size);
	}

	const bar = document.createElement('div'), middle = () => (chart.left + high) / 2;
	bar.className = 'zoom ' + svg.classList[1];
	const buttons = [['+', 'zoom in', () => zoom(2, middle())], ['−', 'zoom out', () => zoom(0.5, middle())],
		['◀', 'to smaller values', () => show(from - (to - from) / 2, to - (to - from) / 2)],
		['▶', 'to larger values', () => show(from + (to - from) / 2, to + (to - from) / 2)],
		['all', 'the whole range', () => show(low, high)]].map(([text, label, act]) => {
		const button = bar.appendChild(document.createElement('button'));
		button.textContent = text;
		button.title = label;
		button.setAttribute('aria-label', label);
		button.addEventListener('click', act);
		return button;
	});
	svg.after(bar);
	show(low, high);
	addEventListener('beforeprint', () => show(low, high));
	followPointers(chart, zoom, show);
}

// Zoom by drags, the wheel and fingers.
function followPointers(chart, zoom, show) {
	const {svg, high, panels} = chart, fingers = new Map();
	const area = make('rect', {class: 'select', y: panels[0].top, height: panels[panels.length - 1].bottom - panels[0].top});
	let start = null;
	svg.classList.add('zooms');
	svg.addEventListener('wheel', event => {
		if (!event.ctrlKey) return;
		event.preventDefault();
		zoom(Math.exp(-event.deltaY / 200), Math.min(Math.max(chart.pxOf(event), chart.left), high));
	}, {passive: false});
	svg.addEventListener('dblclick', () => show(-1e9, 1e9));
	svg.addEventListener('pointerdown', event => {
		fingers.set(event.pointerId, chart.pxOf(event));
		start = event.pointerType == 'mouse' ? event.button ? null : chart.pxOf(event) : null;
		if (start === null) return;
		svg.setPointerCapture(event.pointerId);
		event.preventDefault();
	});
	svg.addEventListener('pointermove', event => {
		const px = chart.pxOf(event), before = [...fingers.values()];
		if (start !== null) {
			const [a, b] = [start, px].sort((one, other) => one - other).map(at => Math.min(Math.max(at, chart.left), high));
			svg.append(set(area, {x: a, width: b - a}));
			return;
		}
		if (!fingers.has(event.pointerId)) return;
		fingers.set(event.pointerId, px);
		const now = [...fingers.values()];
		if (now.length == 1) show(chart.whole(chart.left) - moved(before, now), chart.whole(high) - moved(before, now));
		else if (Math.abs(before[1] - before[0]) > 5)
			zoom(Math.abs(now[1] - now[0]) / Math.abs(before[1] - before[0]), (now[0] + now[1]) / 2);
	});
	const moved = (before, now) => chart.whole(now[0]) - chart.whole(before[0]);
	const end = event => {
		const px = chart.pxOf(event), [a, b] = [start, px].map(at => Math.min(Math.max(at, chart.left), high)).sort((one, other) => one - other);
		fingers.delete(event.pointerId);
		area.remove();
		if (start === null) return;
		start = null;
		if (event.type == 'pointerup') if (b - a > 5) show(chart.whole(a), chart.whole(b));
	};
	svg.addEventListener('pointerup', end);
	svg.addEventListener('pointercancel', end);
}

// Lines of an event flow graph, between the rows of its calls: back at the left, ahead at the right, to the next row
// straight down.  Rows tell by themselves where they lead to, so nothing is lost without this script.  There is no
// less-than sign and no ampersand in it, so that the page stays well-formed.

for (const flow of document.querySelectorAll('.flow')) showFlow(flow);

function showFlow(flow) {
	const graph = readFlow(flow);
	const redraw = () => drawFlow(graph, graph.picked);
	placeLanes(graph);
	redraw();
	flow.addEventListener('toggle', redraw, true);
	addEventListener('resize', redraw);
	for (const kind of ['mouseover', 'focusin']) flow.addEventListener(kind, event => pick(graph, event.target));
	flow.addEventListener('mouseleave', () => pick(graph, flow));
}

function readFlow(flow) {
	const rows = all(flow, 'details.call'), edges = [];
	const places = new Map(rows.map((row, place) => [row.id, place]));
	rows.forEach((row, from) => {
		for (const exit of row.querySelectorAll('li[data-to]')) {
			const to = places.get(exit.dataset.to);
			const side = to == from + 1 ? 'down' : to > from ? 'right' : 'left';
			edges.push({from, to, side, width: +exit.dataset.w, share: exit.style.getPropertyValue('--t'), text: exit.textContent,
				low: Math.min(from, to), high: Math.max(from, to), lane: 0});
		}
	});
	edges.sort((a, b) => parseFloat(a.share) - parseFloat(b.share));
	// Of too many lines those that were followed most.  A call that is pointed at has all of its lines.
	const often = edges.slice().sort((a, b) => b.width - a.width).slice(0, +flow.dataset.most);
	for (const edge of often) edge.often = true;
	return {flow, rows, edges, picked: -1, lanes: {left: 0, right: 0, down: 0}};
}

// Give lanes to the lines at the sides, short ones nearest to the rows.  Lines back to a row share one, and those ahead from a row.
function placeLanes(graph) {
	for (const side of ['left', 'right']) {
		const lanes = [];
		const edges = graph.edges.filter(edge => edge.often).filter(edge => edge.side == side).sort((a, b) => a.high - a.low - (b.high - b.low));
		for (const edge of edges) {
			const shared = other => side == 'left' ? other.to == edge.to : other.from == edge.from;
			const free = other => shared(other) || other.low > edge.high || edge.low > other.high;
			edge.lane = lanes.findIndex(lane => lane.every(free));
			if (0 > edge.lane) edge.lane = lanes.push([]) - 1;
			lanes[edge.lane].push(edge);
		}
		graph.lanes[side] = lanes.length;
	}
}

// Draw all lines anew: rows have moved.
function drawFlow(graph, picked) {
	const {flow, rows, edges, lanes} = graph, narrow = 560 > flow.clientWidth;
	const most = narrow ? 5 : 16, step = narrow ? 6 : 8;
	for (const side of ['left', 'right'])
		flow.style['padding-' + side] = 12 + step * Math.min(most, lanes[side]) + 'px';
	const old = flow.querySelector(':scope > svg'), frame = flow.getBoundingClientRect();
	const svg = set(document.createElementNS('http://www.w3.org/2000/svg', 'svg'), {width: frame.width, height: frame.height, 'aria-hidden': true});
	const boxes = rows.map(row => {
		const box = row.getBoundingClientRect(), head = row.firstElementChild.getBoundingClientRect();
		return {left: head.left - frame.left, right: head.right - frame.left, top: head.top - frame.top,
			middle: (head.top + head.bottom) / 2 - frame.top, bottom: box.bottom - frame.top};
	});
	const content = {left: 12 + step * Math.min(most, lanes.left) - 6, right: frame.width - 12 - step * Math.min(most, lanes.right) + 6};
	for (const edge of edges)
		if (edge.often || edge.from == picked || edge.to == picked) svg.append(drawEdge(edge, boxes, content, step, most));
	if (old) old.remove();
	flow.append(svg);
}

function drawEdge(edge, boxes, content, step, most) {
	const from = boxes[edge.from], to = boxes[edge.to], make = (name, attributes) =>
		set(document.createElementNS('http://www.w3.org/2000/svg', name), attributes);
	const group = make('g', {class: 'edge'}), title = make('title', {});
	group.style.setProperty('--t', edge.share);
	group.dataset.ends = edge.from + ' ' + edge.to;
	title.textContent = edge.text;
	let way, tip;
	if (edge.side == 'down') {
		const x = Math.max(from.left, to.left) + 16, y = to.top;
		way = `M${x} ${from.bottom}V${y - 4}`;
		tip = `M${x - 4} ${y - 5}H${x + 4}L${x} ${y}Z`;
	} else {
		const left = edge.side == 'left', sign = left ? -1 : 1, lane = Math.min(edge.lane, most - 1);
		const x = (left ? content.left : content.right) + sign * step * lane, end = left ? to.left : to.right;
		const out = from.middle + (edge.from == edge.to ? 6 : 3), into = to.middle - (edge.from == edge.to ? 6 : 3);
		way = `M${left ? from.left : from.right} ${out}H${x}V${into}H${end + sign * 4}`;
		tip = `M${end + sign * 5} ${into - 4}V${into + 4}L${end} ${into}Z`;
	}
	group.append(title, set(make('path', {class: 'way', d: way}), {'stroke-width': edge.width}), make('path', {class: 'tip', d: tip}));
	return group;
}

// Show the lines of the call that is pointed at, and others faintly.
function pick(graph, target) {
	const row = target.closest('details.call'), place = String(graph.rows.indexOf(row));
	if (graph.picked == place) return;
	graph.picked = place;
	if (graph.edges.length > +graph.flow.dataset.most) drawFlow(graph, graph.picked);
	graph.flow.classList.toggle('picked', row != null);
	for (const edge of graph.flow.querySelectorAll('.edge'))
		edge.classList.toggle('on', edge.dataset.ends.split(' ').includes(place));
}

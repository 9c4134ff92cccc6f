// What is said of calls, segments and places.
// Show a text, whose names may break after ::, <, comma, _ and /.
function say(text) {
	readout.replaceChildren(...(text.match(/[^]+?(::|[<,_/]|$)/g) ?? []).flatMap(part => [part, document.createElement('wbr')]));
}
// A time in the unit that fits, with digits for differences of `step`.
function time(ns, step = Math.abs(ns) / 1e3) {
	const [unit, name] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']].find(([unit]) => Math.abs(ns) >= unit) ?? [1, 'ns'];
	const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(Math.max(step, 1e-9) / unit) - 1e-9)));
	return `${+(ns / unit).toFixed(unit == 1 ? 0 : digits)} ${name}`;
}
const rowName = row => row.thread ? `rank ${row.rank}, thread ${row.thread}` : `rank ${row.rank}`;
const callName = (row, i) => `${run.functions[names[i]]}, call ${numbers[i] + 1} of ${rowName(row)}`;

function tellCall(number, i) {
	const row = rows[number], parts = [`${callName(row, i)}: ${time(begin[i], 1)} to ${time(end[i], 1)}, ${time(end[i] - begin[i])}`];
	const messages = [];
	if (siteOf(i))
		parts.push(siteOf(i));
	tellRest(i, row, {
		cause: (kind, rank, call) => parts.push(`waits ${time(before[i])} for call ${call + 1} of rank ${rank} (${run.waits[kind]})`),
		collective(of, bytes) {
			const execution = of.end - of.begin, waits = Math.max(0, of.begin - begin[i]) + Math.max(0, end[i] - of.end);
			parts.push(`${run.communicators[of.communicator] ?? 'communicator ' + of.communicator}, ${of.members} ranks, ${bytes} bytes`);
			if (after[i])
				parts.push(`wait after ${time(after[i])}`);
			parts.push(execution > 0 ? `imbalance ratio ${+(waits / execution).toPrecision(3)}` : 'not all ranks are in it at a time');
		},
		message: of => messages.push(`${of.receives ? 'receives' : 'sends'} ${of.bytes} bytes ${of.receives ? 'from' : 'to'} rank ${of.peer}` +
			` (tag ${of.tag}${of.matched ? '' : ', no partner in the trace'})`),
	});
	if (messages.length > 8)
		messages.splice(8, Infinity, `${messages.length - 8} more messages`);
	return parts.concat(messages).join('; ');
}

function tellSegment(i) {
	const row = rows[path.row[i]], call = path.call[i];
	const of = run.categories[path.category[i]];
	const from = switchesRank(i) ? `, switched from ${rowName(rows[path.row[i - 1]])}` : '';
	const found = call && !tiles ? findNumber(path.row[i], call - 1) : -1;
	return `segment ${i + 1} of ${path.count}: ${rowName(row)}${from}, ${of}` +
		(found >= 0 ? ` ${of == run.categories[1] ? 'in' : 'before'} ${run.functions[names[found]]}, call ${call}${siteOf(found) ? ', ' + siteOf(found) : ''}` : '') +
		`, ${time(path.end[i] - path.start[i])} from ${time(path.start[i], 1)}`;
}

// Call of a row by its number in the rank, or -1.
function findNumber(number, call) {
	const row = rows[number], i = firstAbove(numbers, row.first, row.end, call - 1);
	return i < row.end && numbers[i] == call ? i : -1;
}

// The call at a time, or -1.
function callAt(number, ns) {
	const row = rows[number], i = firstAbove(end, row.first, row.end, ns);
	return i < row.end && begin[i] <= ns ? i : -1;
}

function tellPlace(number, ns) {
	const row = rows[number];
	marked = null;
	if (tiles) {
		const at = (number * run.tiles + tileAt(ns)) * DIM;
		const [wait, execution, late] = [0, 1, 2].map(share => Math.round(tiles[at + share] / 2.55));
		return `${rowName(row)} near ${time(ns, tileLength)}: wait before ${wait} %, execution ${execution} %, wait after ${late} %, outside of MPI ${Math.max(0, 100 - wait - execution - late)} %`;
	}
	const i = callAt(number, ns);
	if (i < 0)
		return `${rowName(row)}, outside of MPI at ${time(ns, 1)}`;
	marked = {row: number, i};
	return tellCall(number, i);
}

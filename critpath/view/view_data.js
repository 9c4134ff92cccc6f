// The run as data.  critpath/view/view_calls.h and view_tiles.h say how it is packed.
const run = JSON.parse(document.getElementById('run').textContent), T = Math.max(run.runtime_ns, 1);
// The part of the run that the page has.
const BEGIN = Math.min(run.from_ns, T - 1), END = Math.max(run.to_ns, BEGIN + 1), tileLength = (END - BEGIN) / (run.tiles || 1);
const tileAt = ns => Math.max(0, Math.min(run.tiles - 1, Math.floor((ns - BEGIN) / tileLength)));

class Reader {
	constructor(id) {
		const text = atob(document.getElementById(id)?.textContent ?? '');
		this.bytes = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++)
			this.bytes[i] = text.charCodeAt(i);
		this.at = 0;
	}
	number() {
		let byte = this.bytes[this.at++], value = byte & 127;
		for (let scale = 128; byte > 127; scale *= 128) {
			byte = this.bytes[this.at++];
			value += (byte & 127) * scale;
		}
		return value;
	}
	signed() {
		const number = this.number();
		return number % 2 ? -(number + 1) / 2 : number / 2;
	}
}

// Rows are threads: their calls are those from `first` to before `end`.
const rows = run.threads.flatMap((threads, rank) => Array.from({length: threads}, (_, thread) =>
	({rank, thread, numbered: threads > 1 || run.part, first: 0, end: 0, name: thread ? `${rank}.${thread}` : `${rank}`})));
const tiles = run.tiles ? new Reader('tiles').bytes : null;

function readPath() {
	const reader = new Reader('path'), count = reader.number();
	const path = {count, start: new Float64Array(count), end: new Float64Array(count), category: new Uint8Array(count),
		row: new Uint32Array(count), call: new Int32Array(count)};
	for (let i = 0, end = 0, row = 0, call = 0; i < count; i++) {
		path.start[i] = end + reader.number();
		path.end[i] = end = path.start[i] + reader.number();
		path.category[i] = reader.number();
		path.row[i] = row += reader.signed();
		path.call[i] = call += reader.signed();
	}
	return path;
}

function readCollectives() {
	const reader = new Reader('collectives'), list = [];
	for (let count = tiles ? 0 : reader.number(), begin = 0; list.length < count;) {
		begin += reader.signed();
		list.push({begin, end: begin + reader.signed(), members: reader.number(), communicator: reader.number()});
	}
	return list;
}

const path = readPath(), collectives = readCollectives();
// Does the path come from another row to segment i?
const switchesRank = i => i > 0 && path.row[i] != path.row[i - 1] && path.start[i] == path.end[i - 1];

const reader = new Reader('calls');
const count = tiles ? 0 : run.calls;
// By call: times in ns, number in the rank from 0 on, where the rest of it is packed.
const begin = new Float64Array(count), end = new Float64Array(count), before = new Float64Array(count),
	after = new Float64Array(count), names = new Uint16Array(count), numbers = new Uint32Array(count),
	collective = new Int32Array(count).fill(-1), rest = new Uint32Array(count);

// Time after the collective could have ended for all, as view_wait_after_ns() in critpath/view/view_calls.c.
function waitAfter(i) {
	const of = collectives[collective[i]];
	if (of.members < 2 || of.end < of.begin)
		return 0;
	return Math.max(0, end[i] - Math.max(begin[i] + before[i], of.end));
}

// Read the rest of call i: its wait, collective and messages, as texts if `says` is there.
function readRest(i, has, row, last, says) {
	if (has & 1) {
		before[i] = reader.number();
		const kind = reader.number(), rank = row.rank + reader.signed(), call = numbers[i] + reader.signed();
		says?.cause(kind, rank, call);
	}
	if (has & 2) {
		const index = reader.signed(), bytes = reader.number();
		if (last >= 0)
			collective[i] = last + index;
		says?.collective(collectives[collective[i]], bytes);
	}
	for (let more = has & 4 ? reader.number() : 0; more > 0; more--) {
		const head = reader.number(), peer = head >> 2, bytes = reader.number(), tag = reader.number(),
			communicator = reader.number();
		says?.message({receives: head & 1, matched: head & 2, peer: row.rank + (peer % 2 ? -(peer + 1) / 2 : peer / 2),
			bytes, tag, communicator});
	}
}

function readRow(row, first) {
	row.first = first;
	row.end = first + reader.number();
	for (let i = first, time = 0, number = 0, last = 0; i < row.end; i++) {
		rest[i] = reader.at;
		const head = reader.number();
		names[i] = head >> 3;
		begin[i] = time + reader.signed();
		end[i] = time = begin[i] + reader.number();
		numbers[i] = number = row.numbered ? number + reader.number() : i - first;
		readRest(i, head & 7, row, last, null);
		if (head & 2) {
			last = collective[i];
			after[i] = waitAfter(i);
		}
	}
	return row.end;
}

if (!tiles)
	rows.reduce((first, row) => readRow(row, first), 0);

// Names of the call sites of calls, if the trace has them.
const siteReader = run.sites ? new Reader('sites') : null;
const sites = run.sites ? Uint32Array.from({length: count}, () => siteReader.number()) : null;
const siteOf = i => sites ? run.sites[sites[i]] : undefined;

// Say all of call i of a row to `says`.
function tellRest(i, row, says) {
	reader.at = rest[i];
	const has = reader.number() & 7;
	reader.signed();
	reader.number();
	if (row.numbered)
		reader.number();
	readRest(i, has, row, -1, says);
}

// First of the items from..to whose value is above x; values ascend.
function firstAbove(values, from, to, x) {
	while (from < to) {
		const middle = (from + to) >> 1;
		if (values[middle] > x)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

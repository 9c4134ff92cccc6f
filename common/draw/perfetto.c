#include "common/draw/perfetto.h"

#include <string.h>

/* Types of fields. */
enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

enum {
	SEQUENCE = 1,
	FLAG_CLEARED = 1, /* texts from here on are new */
	FLAG_NEEDS_TEXTS = 2,
	ORDER_EXPLICIT = 3,
	TYPE_BEGIN = 1,
	TYPE_END = 2,
};

/* Uuid of the root of all tracks. */
enum { ROOT_UUID = 1 };

static uint64_t uuid_of(const struct viewer_track *track)
{
	return ROOT_UUID + (uint64_t)track->number;
}

/* A message that is being built.  None is larger. */
struct message {
	size_t count;
	uint8_t bytes[4096];
};

_Static_assert(sizeof((struct message *)0)->bytes >=
		       (VIEWER_MOST_ARGUMENTS + 1) * (VIEWER_TEXT_BYTES + 32),
	       "a message has room for all fields of a packet");

static void put_varint(struct message *message, uint64_t value)
{
	while (value > 0x7f) {
		message->bytes[message->count++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	message->bytes[message->count++] = (uint8_t)value;
}

static void put_key(struct message *message, uint32_t field, enum wire wire)
{
	put_varint(message, field << 3 | (uint32_t)wire);
}

static void put_number(struct message *message, uint32_t field, uint64_t value)
{
	put_key(message, field, WIRE_VARINT);
	put_varint(message, value);
}

static void put_fixed(struct message *message, uint32_t field, uint64_t value)
{
	put_key(message, field, WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		message->bytes[message->count++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct message *message, uint32_t field, const void *bytes, size_t count)
{
	put_key(message, field, WIRE_BYTES);
	put_varint(message, count);
	memcpy(message->bytes + message->count, bytes, count);
	message->count += count;
}

static void put_message(struct message *message, uint32_t field, const struct message *part)
{
	put_bytes(message, field, part->bytes, part->count);
}

/* Write a packet: its length, and after it the bytes. */
static void write_packet(struct viewer *viewer, const struct message *packet)
{
	size_t count = packet->count;

	putc_unlocked(1 << 3 | WIRE_BYTES, viewer->stream);
	for (; count > 0x7f; count >>= 7)
		putc_unlocked((int)(count & 0x7f) | 0x80, viewer->stream);
	putc_unlocked((int)count, viewer->stream);
	fwrite_unlocked(packet->bytes, 1, packet->count, viewer->stream);
}

static void put_descriptor(struct message *packet, uint64_t uuid, uint64_t parent, const char *name,
			   uint32_t rank)
{
	struct message track;

	track.count = packet->count = 0;
	put_number(&track, 1, uuid);
	put_bytes(&track, 2, name, strlen(name));
	if (parent)
		put_number(&track, 5, parent);
	put_number(&track, 11, ORDER_EXPLICIT);
	put_number(&track, 12, rank);
	put_number(packet, 10, SEQUENCE);
	put_message(packet, 60, &track);
}

void perfetto_open(struct viewer *viewer, const char *title)
{
	struct message packet;

	put_descriptor(&packet, ROOT_UUID, 0, title, 0);
	put_number(&packet, 13, FLAG_CLEARED);
	write_packet(viewer, &packet);
}

void perfetto_track(struct viewer *viewer, const struct viewer_track *parent, const char *name,
		    const struct viewer_track *track)
{
	struct message packet;

	put_descriptor(&packet, uuid_of(track), parent ? uuid_of(parent) : ROOT_UUID, name,
		       track->number);
	write_packet(viewer, &packet);
}

void perfetto_text(struct viewer *viewer, enum viewer_use use, uint32_t number, const char *text)
{
	static const uint8_t tables[VIEWER_USES] = {
		[VIEWER_NAME] = 2, [VIEWER_CATEGORY] = 1, [VIEWER_ARGUMENT] = 3};
	struct message entry, data, packet;

	if (!tables[use])
		return;
	entry.count = data.count = packet.count = 0;
	put_number(&entry, 1, number);
	put_bytes(&entry, 2, text, strlen(text));
	put_message(&data, tables[use], &entry);
	put_number(&packet, 10, SEQUENCE);
	put_message(&packet, 12, &data);
	put_number(&packet, 13, FLAG_NEEDS_TEXTS);
	write_packet(viewer, &packet);
}

static void put_argument(struct message *event, uint32_t name, const char *text, uint64_t number)
{
	struct message annotation;

	annotation.count = 0;
	put_number(&annotation, 1, name);
	if (text)
		put_bytes(&annotation, 6, text, strlen(text));
	else
		put_number(&annotation, 3, number);
	put_message(event, 4, &annotation);
}

static void write_event(struct viewer *viewer, uint64_t time_ns, const struct message *event)
{
	struct message packet;

	packet.count = 0;
	put_number(&packet, 8, time_ns);
	put_number(&packet, 10, SEQUENCE);
	put_message(&packet, 11, event);
	put_number(&packet, 13, FLAG_NEEDS_TEXTS);
	write_packet(viewer, &packet);
}

void perfetto_begin(struct viewer *viewer, const struct viewer_track *track,
		    const struct viewer_slice *slice, const struct viewer_numbers *numbers)
{
	struct message event;

	event.count = 0;
	put_number(&event, 9, TYPE_BEGIN);
	put_number(&event, 11, uuid_of(track));
	put_number(&event, 10, numbers->name);
	if (numbers->category)
		put_number(&event, 3, numbers->category);
	for (uint32_t i = 0; i < numbers->argument_count; i++)
		put_argument(&event, numbers->names[i],
			     slice->arguments[i].text ? viewer->shown.items[numbers->texts[i]].shown : NULL,
			     slice->arguments[i].number);
	if (slice->arrow != VIEWER_NO_ARROW)
		put_fixed(&event, slice->arrow == VIEWER_ARROW_FROM ? 47 : 48, slice->arrow_id);
	write_event(viewer, slice->start_ns, &event);
}

void perfetto_end(struct viewer *viewer, const struct viewer_track *track, uint64_t end_ns)
{
	struct message event;

	event.count = 0;
	put_number(&event, 9, TYPE_END);
	put_number(&event, 11, uuid_of(track));
	write_event(viewer, end_ns, &event);
}

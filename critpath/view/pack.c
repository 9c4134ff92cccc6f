#include "critpath/view/pack.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_digits(struct pack *pack, int count)
{
	for (int i = 0; i < count; i++)
		putc_unlocked(digits[pack->bits >> (18 - 6 * i) & 63], pack->stream);
	pack->bits = 0;
	pack->bytes = 0;
}

void pack_byte(struct pack *pack, uint8_t byte)
{
	pack->bits |= (uint32_t)byte << (16 - 8 * pack->bytes);
	if (++pack->bytes == 3)
		write_digits(pack, 4);
}

void pack_number(struct pack *pack, uint64_t number)
{
	for (; number >= 128; number >>= 7)
		pack_byte(pack, (uint8_t)(number | 128));
	pack_byte(pack, (uint8_t)number);
}

void pack_signed(struct pack *pack, int64_t number)
{
	pack_number(pack, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

void pack_end(struct pack *pack)
{
	const int bytes = pack->bytes;

	if (!bytes)
		return;
	write_digits(pack, bytes + 1);
	fputs(bytes == 1 ? "==" : "=", pack->stream);
}

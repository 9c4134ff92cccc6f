#include "critpath/parts/frame.h"

#include <zstd.h>

int frame_damaged(struct error *err, const char *what)
{
	return error_set(err, STATUS_DATA, "damaged block: %s", what);
}

int frame_put(struct byte_array *block, const struct byte_array *raw, int level, struct error *err)
{
	const size_t room = ZSTD_compressBound(raw->bytes.count);
	size_t size;

	TRY(array_reserve(&block->bytes, room, err));
	size = ZSTD_compress(block->bytes.items + block->bytes.count, room, raw->bytes.items,
			     raw->bytes.count, level);
	if (ZSTD_isError(size))
		return error_set(err, STATUS_SYSTEM, "zstd: %s", ZSTD_getErrorName(size));
	block->bytes.count += size;
	return 0;
}

int frame_take(unsigned char **raw, struct varint_reader *columns, const struct varint_reader *rest,
	       unsigned long long most, struct error *err)
{
	const size_t bytes = (size_t)(rest->end - rest->at);
	const unsigned long long size = ZSTD_getFrameContentSize(rest->at, bytes);
	size_t taken;

	*raw = NULL;
	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most)
		return frame_damaged(err, "the frame has no size, or is too large");
	TRY(allocate(raw, (size_t)size, 1, err));
	taken = ZSTD_decompress(*raw, (size_t)size, rest->at, bytes);
	if (ZSTD_isError(taken) || taken != size)
		return frame_damaged(err, "zstd cannot decompress it");
	*columns = (struct varint_reader){*raw, *raw + taken};
	return 0;
}

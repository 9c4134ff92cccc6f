#include "critpath/parts/frame.h"

#include <zstd.h>

/* Bytes of a cut: head of a block and of its literals.  Shorter parts are not worth them. */
enum { CUT_BYTES = 64, LEAST_CUT = 64 };

int frame_damaged(struct error *err, const char *what)
{
	return error_set(err, STATUS_DATA, "damaged block: %s", what);
}

/* Compress the bytes up to `end`, of which *at is the next one, as blocks of their own. */
static size_t compress(ZSTD_CCtx *context, ZSTD_outBuffer *out, const struct byte_array *raw,
		       size_t *at, size_t end)
{
	const ZSTD_EndDirective then = end == raw->bytes.count ? ZSTD_e_end : ZSTD_e_flush;
	ZSTD_inBuffer in = {raw->bytes.items, end, *at};
	size_t left;

	do
		left = ZSTD_compressStream2(context, out, &in, then);
	while (left && !ZSTD_isError(left));
	*at = end;
	return left;
}

static int compress_all(ZSTD_CCtx *context, struct byte_array *block, const struct byte_array *raw,
			const struct frame_cuts *cuts, int level, struct error *err)
{
	const size_t cut_count = cuts ? cuts->at.count : 0;
	const size_t room = ZSTD_compressBound(raw->bytes.count) + (cut_count + 1) * CUT_BYTES;
	ZSTD_outBuffer out = {.size = room};
	size_t at = 0, result;

	TRY(array_reserve(&block->bytes, room, err));
	out.dst = block->bytes.items + block->bytes.count;
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	result = ZSTD_CCtx_setPledgedSrcSize(context, raw->bytes.count);
	for (size_t i = 0; !ZSTD_isError(result) && i < cut_count; i++)
		if (cuts->at.items[i] - at >= LEAST_CUT && cuts->at.items[i] < raw->bytes.count)
			result = compress(context, &out, raw, &at, cuts->at.items[i]);
	if (!ZSTD_isError(result))
		result = compress(context, &out, raw, &at, raw->bytes.count);
	if (ZSTD_isError(result))
		return error_set(err, STATUS_SYSTEM, "zstd: %s", ZSTD_getErrorName(result));
	block->bytes.count += out.pos;
	return 0;
}

int frame_put(struct byte_array *block, const struct byte_array *raw, const struct frame_cuts *cuts,
	      int level, struct error *err)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	int result;

	if (!context)
		return error_set(err, STATUS_SYSTEM, "out of memory");
	result = compress_all(context, block, raw, cuts, level, err);
	ZSTD_freeCCtx(context);
	return result;
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

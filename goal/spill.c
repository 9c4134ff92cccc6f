#include "goal/spill.h"

#include <errno.h>
#include <unistd.h>

int goal_write_at(int file, uint64_t at, const void *bytes, size_t count, const char *name,
		  struct error *err)
{
	const char *from = bytes;

	while (count) {
		const ssize_t done = pwrite(file, from, count, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_set_errno(err, "%s: cannot be written", name);
		from += done;
		at += (uint64_t)done;
		count -= (size_t)done;
	}
	return 0;
}

int goal_read_at(int file, uint64_t at, void *bytes, size_t count, const char *name,
		 struct error *err)
{
	char *to = bytes;

	while (count) {
		const ssize_t done = pread(file, to, count, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done == 0)
			errno = EIO;
		if (done <= 0)
			return error_set_errno(err, "%s: cannot be read back", name);
		to += done;
		at += (uint64_t)done;
		count -= (size_t)done;
	}
	return 0;
}

static int goal_spill_open_file(struct goal_spill *spill, const struct output *beside,
				struct error *err)
{
	if (spill->open)
		return 0;
	TRY(output_scratch(beside, &spill->file, err));
	spill->beside = beside;
	spill->open = true;
	return 0;
}

static const char *goal_spill_name(const struct goal_spill *spill)
{
	return output_name(spill->beside);
}

int goal_spill_append(struct goal_spill *spill, const struct output *beside, const void *bytes,
		      size_t count, struct error *err)
{
	TRY(goal_spill_open_file(spill, beside, err));
	TRY(goal_write_at(spill->file, spill->bytes, bytes, count, goal_spill_name(spill), err));
	spill->bytes += count;
	return 0;
}

int goal_spill_read(const struct goal_spill *spill, uint64_t at, void *bytes, size_t count,
		    struct error *err)
{
	return goal_read_at(spill->file, at, bytes, count, goal_spill_name(spill), err);
}

int goal_spill_write(const struct goal_spill *spill, uint64_t at, const void *bytes, size_t count,
		     struct error *err)
{
	return goal_write_at(spill->file, at, bytes, count, goal_spill_name(spill), err);
}

int goal_spill_resize(struct goal_spill *spill, const struct output *beside, uint64_t bytes,
		      struct error *err)
{
	TRY(goal_spill_open_file(spill, beside, err));
	if (ftruncate(spill->file, (off_t)bytes) < 0)
		return error_set_errno(err, "%s: cannot be written", goal_spill_name(spill));
	spill->bytes = bytes;
	return 0;
}

void goal_spill_clear(struct goal_spill *spill)
{
	/* If the space cannot be given back, use it again. */
	if (spill->bytes && ftruncate(spill->file, 0) < 0)
		errno = 0;
	spill->bytes = 0;
}

void goal_spill_release(struct goal_spill *spill)
{
	if (spill->open)
		close(spill->file);
	*spill = (struct goal_spill){0};
}

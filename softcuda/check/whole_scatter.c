/* Accesses of different words of shared memory, as of a column of a matrix, that are put off (struct check_scatter). */
#include "config.h"

#include "softcuda/check/whole.h"

static uint64_t shared_start(const struct check_group *group)
{
	return (uint64_t)(uintptr_t)group->group->shared;
}

bool check_whole_may_scatter(const struct check_whole *whole)
{
	return whole->place && whole->group->put_off.scatter_count < CHECK_SCATTERS_MAX &&
	       whole->end - shared_start(whole->group) <= (uint64_t)SHADOW_WORD_B << 16;
}

void check_whole_scatter(const struct check_whole *whole)
{
	struct check_group *group = whole->group;
	struct check_put_off *put_off = &group->put_off;
	const struct warp *warp = whole->warp;
	const uint64_t shared = shared_start(group);
	struct check_scatter *scatter = &put_off->scatters[put_off->scatter_count++];
	scatter->op = (uint32_t)(whole->op - warp->base->code->ops);
	scatter->warp = warp->index;
	scatter->lanes = whole->mask;
	scatter->behind = check_put_off_count(group);
	scatter->order = ++group->repeats.order;
	for (uint32_t i = 0; i < LANES; i++)
		scatter->word[i] = (uint16_t)((whole->one_place[i] - shared) / SHADOW_WORD_B);
	for (uint32_t i = 0; i < LANES && !whole->reads; i++) {
		const uint32_t chunk = scatter->word[i] / (CHECK_CHUNK_B / SHADOW_WORD_B);
		put_off->written[chunk] = put_off->accessed[chunk] = put_off->latest;
		put_off->distance[chunk] = (uint32_t)CHECK_MIXED;
	}
}

void check_whole_mark_scatters(struct check_group *group)
{
	struct check_put_off *put_off = &group->put_off;
	const struct op *ops = group->group->job->code->ops;
	const uint32_t now = group->clocks[CHECK_LOCAL_MEMORY].now;
	for (; put_off->scatter_marked < put_off->scatter_count; put_off->scatter_marked++) {
		const struct check_scatter *scatter = &put_off->scatters[put_off->scatter_marked];
		put_off->latest_plain = now;
		for (uint32_t i = 0; i < LANES && check_is_load(&ops[scatter->op]); i++) {
			const uint32_t chunk = scatter->word[i] / (CHECK_CHUNK_B / SHADOW_WORD_B);
			put_off->accessed[chunk] = now;
			put_off->distance[chunk] = (uint32_t)CHECK_MIXED;
		}
	}
}

void check_whole_scatter_places(const struct check_group *group, const struct check_scatter *scatter, uint64_t *place)
{
	const uint64_t shared = shared_start(group);
	uint32_t i = 0;
	for (uint32_t rest = scatter->lanes; rest; rest &= rest - 1)
		place[exec_lowest(rest)] = shared + (uint64_t)scatter->word[i++] * SHADOW_WORD_B;
}

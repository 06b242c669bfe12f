// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where the pipeline slots of a part of this program go.  Whoever may open
 * /dev/topdown may measure what they run themselves.
 *
 *   c++ myself.cc -o myself $(pkg-config --cflags --libs libtopdown)
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <system_error>
#include <topdown.h>
#include <vector>

namespace {

void need(int ret, const char *what)
{
	if (ret)
		throw std::system_error(-ret, std::generic_category(), what);
}

// All that the calling thread uses from here on.
class Session {
public:
	Session()
	{
		topdown *opened;

		need(topdown_open(&opened, nullptr), "/dev/topdown");
		handle.reset(opened);
		need(topdown_session_attach(opened, 0, TOPDOWN_ATTACH_THREAD, &number), "attach");
	}

	topdown_session read() const
	{
		topdown_session seen;

		need(topdown_session_read(handle.get(), number, TOPDOWN_SESSION_FRESH, &seen,
					  sizeof(seen)), "read");
		return seen;
	}

private:
	struct Close {
		void operator()(topdown *td) const { topdown_close(td); }
	};
	std::unique_ptr<topdown, Close> handle;
	std::uint32_t number = 0;
};

volatile std::size_t last;

// Each load waits for the one before, and most find nothing in a cache.
void chase()
{
	const std::size_t size = std::size_t(1) << 22;
	std::vector<std::size_t> next(size);
	std::size_t at = 0;

	for (std::size_t i = 0; i < size; i++)
		next[i] = (i * 2654435761u + 12345) % size;
	for (std::size_t i = 0; i < size; i++)
		at = next[at];
	last = at;
}

} // namespace

int main()
try {
	const Session session;
	const topdown_session then = session.read();
	chase();
	const topdown_session now = session.read();
	topdown_figures figures;

	need(topdown_session_between(&then, &now, 2, &figures), "figures");
	std::printf("%llu slots\n", figures.slots);
	for (unsigned int node = 0; node < TOPDOWN_MAX_NODES; node++) {
		if (topdown_figures_has(&figures, node))
			std::printf("%-24s %5.1f%%\n", topdown_node_name(node),
				    100 * topdown_figures_ratio(&figures, node));
	}
	return EXIT_SUCCESS;
} catch (const std::exception &error) {
	std::fprintf(stderr, "myself: %s\n", error.what());
	return EXIT_FAILURE;
}

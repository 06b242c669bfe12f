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
#include <unistd.h>
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
		topdown *device;

		need(topdown_open(&device, nullptr), "/dev/topdown");
		const int ret = topdown_session_attach(device, 0, TOPDOWN_ATTACH_THREAD, &session);

		topdown_close(device);
		need(ret, "attach");
	}

	~Session() { close(session); }
	Session(const Session &) = delete;
	Session &operator=(const Session &) = delete;

	topdown_session read() const
	{
		topdown_session seen;

		need(topdown_session_read(session, TOPDOWN_SESSION_FRESH, &seen, sizeof(seen)),
		     "read");
		return seen;
	}

private:
	int session = -1;
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

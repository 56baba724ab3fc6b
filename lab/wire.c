/*
 * The wire between two hosts of the lab, and the keeper of their processes.
 *
 *     wire [OPTION...] -- COMMAND-A [ARG...] [:: COMMAND-B [ARG...]]
 *
 * Starts the commands, each with its end of the wire as file descriptor 3: a SOCK_SEQPACKET socket that carries one
 * Ethernet frame per message. Carries frames between them, writes those that arrive to a pcap file, and does to them
 * what the options and the hosts ask for: loss, delay, reordering, a cut. Chances come from the seed, the direction
 * and the frame's number since "start" alone, so equal traffic meets equal faults. The kernel's own neighbour and
 * multicast frames come at any time; they are numbered apart so as not to shift the rest.
 *
 * Faults rest until a host sends "start". Hosts talk to the wire by UDP to CONTROL_MAC, one command per datagram:
 *     start | cut [SECONDS] | mend | loss PERCENT | delay MS | reorder 0|1 | drop udp|tcp PORT | drop cm ATTRIBUTE | pass
 * Such a frame is carried out in its place between the others; it is neither passed on nor captured.
 *
 * Ends when every command ended: 0. Ends them all when it is told to stop or its parent died: 128 + signal, or when
 * --limit is over: 124. Whatever they started is dead and reaped when this program returns.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FRAME = 65536, MAX_QUEUED = 8192, SOCKET_BUFFER = 4 << 20, ROCE_PORT = 4791, HOST_FD = 3, LAB_FAILED = 125, TIMED_OUT = 124 };
static const uint64_t SECOND = 1000000000, MS = 1000000, NEVER = UINT64_MAX;
/* A frame that is held back leaves behind its successor, or after this time when none comes. */
static const uint64_t HOLD_NANOS = 5000000;
/* One frame in so many is held back while reordering. */
static const uint64_t REORDER_ONE_IN = 10;
static const uint8_t CONTROL_MAC[6] = {0x52, 0x54, 0, 0, 0, 0xfe};

struct frame {
	struct frame *next;
	uint64_t due;
	size_t len;
	uint8_t bytes[];
};

/* One direction: frames wait in the order in which they will leave. */
struct lane {
	struct frame *first, *last, *held;
	uint64_t held_until;
	/* What takes part in a chance: frames since "start", the kernel's own apart. */
	uint64_t numbers[2];
	uint64_t seen, passed, lost, cut, dropped, reordered, overflowed;
	size_t queued;
};

struct host {
	int fd;
	pid_t pid;
	struct lane in;
};

static struct host hosts[2];
static int host_count;
static FILE *capture;
static const char *report_path;
static uint64_t seed = 1;

/* Faults in force; those asked for on the command line wait in `planned` for "start". */
static struct faults {
	double loss_percent;
	uint64_t delay, cut_after, cut_for;
	bool reorder;
	int drop_proto, drop_port, drop_cm;
} faults, planned = {.cut_after = NEVER, .cut_for = NEVER};
static uint64_t cut_from = NEVER, cut_to = NEVER;

/* Signals are read like frames: a handler would starve behind a wire that is never silent. */
static int signals_fd;
static int stop_signal;

static void die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("wire: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(LAB_FAILED);
}

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* splitmix64 of what identifies the chance: a frame and the fault that asks (below 8). */
static uint64_t chance(int to, uint64_t number, uint64_t fault)
{
	uint64_t z = seed * 0x9e3779b97f4a7c15 + number * 16 + (uint64_t)to * 8 + fault;
	for (int i = 0; i < 2; i++) {
		z += 0x9e3779b97f4a7c15;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		z ^= z >> 31;
	}
	return z;
}

/* ---- capture ---- */

static void capture_open(const char *path)
{
	/* pcap 2.4, nanoseconds, Ethernet */
	const uint32_t header[] = {0xa1b23c4d, 2 | 4 << 16, 0, 0, MAX_FRAME, 1};
	capture = fopen(path, "we");
	if (!capture || fwrite(header, sizeof header, 1, capture) != 1 || fflush(capture))
		die("cannot write %s: %s", path, strerror(errno));
}

static void capture_frame(const struct frame *f)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	const uint32_t header[] = {(uint32_t)t.tv_sec, (uint32_t)t.tv_nsec, (uint32_t)f->len, (uint32_t)f->len};
	if (fwrite(header, sizeof header, 1, capture) != 1 || fwrite(f->bytes, f->len, 1, capture) != 1)
		die("cannot write the capture: %s", strerror(errno));
}

/* ---- what hosts tell the wire ---- */

static void cut(uint64_t from, uint64_t nanos)
{
	cut_from = from;
	cut_to = nanos == NEVER ? NEVER : from + nanos;
}

static void obey(char *line, uint64_t t)
{
	char *rest = line;
	const char *word = strsep(&rest, " \n");
	const double number = rest ? strtod(rest, NULL) : 0;
	if (!strcmp(word, "start")) {
		faults = planned;
		for (int i = 0; i < host_count; i++)
			memset(hosts[i].in.numbers, 0, sizeof hosts[i].in.numbers);
		if (planned.cut_after != NEVER)
			cut(t + planned.cut_after, planned.cut_for);
	} else if (!strcmp(word, "cut")) {
		cut(t, number > 0 ? (uint64_t)(number * 1e9) : NEVER);
	} else if (!strcmp(word, "mend")) {
		cut_from = NEVER;
	} else if (!strcmp(word, "loss")) {
		faults.loss_percent = number;
	} else if (!strcmp(word, "delay")) {
		faults.delay = (uint64_t)(number * 1e6);
	} else if (!strcmp(word, "reorder")) {
		faults.reorder = number != 0;
	} else if (!strcmp(word, "drop") && rest) {
		const char *proto = strsep(&rest, " \n");
		const bool cm = !strcmp(proto, "cm");
		faults.drop_proto = cm || !strcmp(proto, "udp") ? 17 : 6;
		faults.drop_port = cm ? ROCE_PORT : rest ? atoi(rest) : 0;
		faults.drop_cm = cm && rest ? atoi(rest) : 0;
	} else if (!strcmp(word, "pass")) {
		faults.drop_proto = 0;
	} else {
		fprintf(stderr, "wire: does not know \"%s\"\n", word);
	}
}

/* The transport header of an IPv4 or IPv6 packet, or NULL; *proto says which. */
static const uint8_t *transport(const struct frame *f, int *proto)
{
	const unsigned type = f->len < 34 ? 0 : f->bytes[12] << 8 | f->bytes[13];
	const size_t at = type == 0x0800 ? 14 + (f->bytes[14] & 15) * 4u : 54;
	if ((type != 0x0800 && type != 0x86dd) || f->len < at + 8)
		return NULL;
	*proto = f->bytes[type == 0x0800 ? 23 : 20];
	return f->bytes + at;
}

/* ARP, neighbour discovery, multicast listener reports: what a kernel sends when it sees fit. */
static bool is_kernels_own(const struct frame *f)
{
	const unsigned type = f->len < 34 ? 0 : f->bytes[12] << 8 | f->bytes[13];
	return type == 0x0806 || (type == 0x86dd && (f->bytes[20] == 0 || f->bytes[20] == 58));
}

static bool is_control(const struct frame *f, uint64_t t)
{
	int proto;
	if (f->len < sizeof CONTROL_MAC || memcmp(f->bytes, CONTROL_MAC, sizeof CONTROL_MAC))
		return false;
	const uint8_t *udp = transport(f, &proto);
	if (udp && proto == 17) {
		char line[64] = "";
		size_t len = (size_t)(udp[4] << 8 | udp[5]), there = (size_t)(f->bytes + f->len - udp);
		len = len < there ? len : there;
		if (len > 8) {
			len -= 8;
			memcpy(line, udp + 8, len < sizeof line - 1 ? len : sizeof line - 1);
			obey(line, t);
		}
	}
	return true;
}

/*
 * Returns the attribute of a connection manager's message in a RoCE datagram (RTU: 20), or 0. Behind UDP (8 bytes),
 * BTH (12) and DETH (8) of a UD SEND lies a MAD, with its class at byte 1 and its attribute at byte 16.
 */
static int cm_attribute(const struct frame *f, const uint8_t *udp)
{
	const uint8_t *bth = udp + 8, *mad = bth + 20;
	const bool is_cm = mad + 18 <= f->bytes + f->len && bth[0] == 0x64 && mad[1] == 7;
	return is_cm ? mad[16] << 8 | mad[17] : 0;
}

static bool is_dropped(const struct frame *f)
{
	int proto;
	const uint8_t *ports = faults.drop_proto ? transport(f, &proto) : NULL;
	return ports && proto == faults.drop_proto && (!faults.drop_cm || cm_attribute(f, ports) == faults.drop_cm)
		&& ((ports[0] << 8 | ports[1]) == faults.drop_port || (ports[2] << 8 | ports[3]) == faults.drop_port);
}

/* ---- frames ---- */

static void enqueue(struct lane *lane, struct frame *f, uint64_t t)
{
	if (lane->queued == MAX_QUEUED) {
		lane->overflowed++;
		free(f);
		return;
	}
	f->due = t + faults.delay;
	f->next = NULL;
	*(lane->first ? &lane->last->next : &lane->first) = f;
	lane->last = f;
	lane->queued++;
}

static void release_held(struct lane *lane, uint64_t t)
{
	if (lane->held)
		enqueue(lane, lane->held, t);
	lane->held = NULL;
	lane->held_until = NEVER;
}

static void admit(int to, struct frame *f, uint64_t t)
{
	struct lane *lane = &hosts[to].in;
	const bool own = is_kernels_own(f);
	const uint64_t number = lane->numbers[own]++, fault = own ? 2 : 0;
	uint64_t *taken = NULL;
	lane->seen++;
	if (t >= cut_from && t < cut_to)
		taken = &lane->cut;
	else if (is_dropped(f))
		taken = &lane->dropped;
	else if (chance(to, number, fault) % 1000000 < (uint64_t)(faults.loss_percent * 10000))
		taken = &lane->lost;
	if (taken) {
		++*taken;
		free(f);
	} else if (faults.reorder && !lane->held && chance(to, number, fault + 1) % REORDER_ONE_IN == 0) {
		lane->held = f;
		lane->held_until = t + HOLD_NANOS;
		lane->reordered++;
	} else {
		enqueue(lane, f, t);
		release_held(lane, t);
	}
}

static void receive(int from)
{
	static uint8_t buffer[MAX_FRAME];
	/* A bounded turn, so that neither direction starves the other. */
	for (int i = 0; i < 64; i++) {
		const ssize_t len = recv(hosts[from].fd, buffer, sizeof buffer, MSG_DONTWAIT);
		if (len < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (len <= 0) {
			close(hosts[from].fd);
			hosts[from].fd = -1;
			return;
		}
		struct frame *f = malloc(sizeof *f + (size_t)len);
		if (!f)
			die("out of memory");
		f->len = (size_t)len;
		memcpy(f->bytes, buffer, f->len);
		const uint64_t t = now();
		if (is_control(f, t))
			free(f);
		else
			admit(1 - from, f, t);
	}
}

static void deliver(struct host *host, uint64_t t)
{
	struct lane *lane = &host->in;
	if (lane->held_until <= t)
		release_held(lane, t);
	while (lane->first && lane->first->due <= t) {
		struct frame *f = lane->first;
		if (send(host->fd, f->bytes, f->len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
			if (errno == EAGAIN || errno == ENOBUFS)
				return;
			/* The host is gone: nobody is there to hear. */
		} else {
			lane->passed++;
			if (capture)
				capture_frame(f);
		}
		lane->first = f->next;
		lane->queued--;
		free(f);
	}
}

/* ---- processes ---- */

static void start_host(struct host *host, char **command)
{
	int ends[2];
	const int size = SOCKET_BUFFER;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		die("no socket pair: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		/* Best effort: without the privilege the system's own limit stays. */
		if (setsockopt(ends[i], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size))
			setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	}
	const pid_t parent = getpid();
	host->fd = ends[0];
	host->in.held_until = NEVER;
	host->pid = fork();
	if (host->pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (host->pid > 0) {
		close(ends[1]);
		return;
	}
	/* A session of its own: the terminal's signals are for the keeper, which ends its hosts in order. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	if (getppid() != parent)
		_exit(LAB_FAILED);
	if (ends[1] == HOST_FD)
		ends[1] = dup(ends[1]);
	dup2(ends[1], HOST_FD);
	execvp(command[0], command);
	fprintf(stderr, "wire: cannot run %s: %s\n", command[0], strerror(errno));
	_exit(LAB_FAILED);
}

/* Kills every child; orphans of theirs become ours (see PR_SET_CHILD_SUBREAPER) and follow in the next turn. */
static void end_everything(void)
{
	for (int left = 1; left;) {
		const pid_t self = getpid();
		DIR *proc = opendir("/proc");
		if (!proc)
			die("no /proc");
		for (const struct dirent *entry; (entry = readdir(proc));) {
			char path[300];
			int parent = 0;
			snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
			FILE *stat = atoi(entry->d_name) > 0 ? fopen(path, "re") : NULL;
			if (!stat)
				continue;
			if (fscanf(stat, "%*d (%*[^)]) %*c %d", &parent) == 1 && parent == self)
				kill((pid_t)atoi(entry->d_name), SIGKILL);
			fclose(stat);
		}
		closedir(proc);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		left = waitpid(-1, NULL, WNOHANG) == 0;
		if (left)
			poll(NULL, 0, 5);
	}
}

/* Notes which hosts ended; true when none is left. */
static bool reap(void)
{
	pid_t pid;
	bool all = true;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (int i = 0; i < host_count; i++)
			if (hosts[i].pid == pid)
				hosts[i].pid = 0;
	for (int i = 0; i < host_count; i++)
		all = all && hosts[i].pid == 0;
	return all;
}

static void report(void)
{
	FILE *out = report_path ? fopen(report_path, "we") : NULL;
	struct lane sum = {0};
	for (int i = 0; i < host_count; i++) {
		const struct lane *lane = &hosts[i].in;
		sum.seen += lane->seen;
		sum.passed += lane->passed;
		sum.lost += lane->lost;
		sum.cut += lane->cut;
		sum.dropped += lane->dropped;
		sum.reordered += lane->reordered;
		sum.overflowed += lane->overflowed;
	}
	if (out) {
		fprintf(out, "seen=%lu\npassed=%lu\nlost=%lu\ncut=%lu\ndropped=%lu\nreordered=%lu\noverflowed=%lu\n", sum.seen,
			sum.passed, sum.lost, sum.cut, sum.dropped, sum.reordered, sum.overflowed);
		fclose(out);
	}
	if (capture && fclose(capture))
		die("cannot write the capture: %s", strerror(errno));
}

/* ---- the loop ---- */

static uint64_t earliest(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* True when a child ended since the last call; sets stop_signal when told to stop. */
static bool read_signals(void)
{
	struct signalfd_siginfo info;
	bool child_ended = false;
	while (read(signals_fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			child_ended = true;
		else
			stop_signal = (int)info.ssi_signo;
	}
	return child_ended;
}

static int run(uint64_t limit)
{
	for (;;) {
		const uint64_t t = now();
		uint64_t wake = limit;
		struct pollfd polled[3];
		if (read_signals() && reap())
			return 0;
		if (stop_signal)
			return 128 + stop_signal;
		if (t >= limit)
			return TIMED_OUT;
		for (int i = 0; i < host_count; i++) {
			const struct lane *lane = &hosts[i].in;
			deliver(&hosts[i], t);
			const bool full = lane->first && lane->first->due <= t;
			polled[i] = (struct pollfd){hosts[i].fd, (short)(POLLIN | (full ? POLLOUT : 0)), 0};
			if (lane->first && !full)
				wake = earliest(wake, lane->first->due);
			wake = earliest(wake, lane->held_until);
		}
		polled[host_count] = (struct pollfd){signals_fd, POLLIN, 0};
		const uint64_t wait = wake > t ? wake - t : 0;
		const struct timespec timeout = {(time_t)(wait / SECOND), (long)(wait % SECOND)};
		if (ppoll(polled, (nfds_t)host_count + 1, wake == NEVER ? NULL : &timeout, NULL) > 0)
			for (int i = 0; i < host_count; i++)
				if (polled[i].revents)
					receive(i);
	}
}

static double number(const char *option, const char *text, double max)
{
	char *end;
	const double value = strtod(text, &end);
	if (end == text || *end || !(value >= 0 && value <= max))
		die("--%s wants a number from 0 to %g, not \"%s\"", option, max, text);
	return value;
}

int main(int argc, char **argv)
{
	enum { CAPTURE, LOSS, DELAY, REORDER, CUT_AFTER, CUT_FOR, SEED, REPORT, LIMIT };
	static const struct option options[] = {{"capture", 1, NULL, CAPTURE}, {"loss", 1, NULL, LOSS},
		{"delay", 1, NULL, DELAY}, {"reorder", 0, NULL, REORDER}, {"cut-after", 1, NULL, CUT_AFTER},
		{"cut-for", 1, NULL, CUT_FOR}, {"seed", 1, NULL, SEED}, {"report", 1, NULL, REPORT},
		{"limit", 1, NULL, LIMIT}, {0}};
	const double day = 86400;
	uint64_t limit = NEVER;
	int index = 0;
	for (int o; (o = getopt_long(argc, argv, "+", options, &index)) != -1;) {
		const char *name = options[index].name;
		switch (o) {
		case CAPTURE: capture_open(optarg); break;
		case LOSS: planned.loss_percent = number(name, optarg, 100); break;
		case DELAY: planned.delay = (uint64_t)(number(name, optarg, 1e6) * (double)MS); break;
		case REORDER: planned.reorder = true; break;
		case CUT_AFTER: planned.cut_after = (uint64_t)(number(name, optarg, day) * 1e9); break;
		case CUT_FOR: planned.cut_for = (uint64_t)(number(name, optarg, day) * 1e9); break;
		case SEED: seed = (uint64_t)number(name, optarg, 1e15); break;
		case REPORT: report_path = optarg; break;
		case LIMIT: limit = now() + (uint64_t)(number(name, optarg, day) * 1e9); break;
		default: return LAB_FAILED;
		}
	}
	if (optind == argc)
		die("which command?");
	if (planned.cut_for != NEVER && planned.cut_after == NEVER)
		planned.cut_after = 0;

	sigset_t handled;
	sigemptyset(&handled);
	sigaddset(&handled, SIGCHLD);
	sigaddset(&handled, SIGTERM);
	sigaddset(&handled, SIGINT);
	sigaddset(&handled, SIGHUP);
	sigprocmask(SIG_BLOCK, &handled, NULL);
	signals_fd = signalfd(-1, &handled, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signals_fd < 0)
		die("no signal descriptor: %s", strerror(errno));

	const pid_t parent = getppid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		return LAB_FAILED;

	char **command = argv + optind;
	for (char **arg = command; ; arg++) {
		const bool last = !*arg;
		if (!last && strcmp(*arg, "::"))
			continue;
		*arg = NULL;
		if (host_count == 2 || arg == command)
			die("wants one or two commands");
		start_host(&hosts[host_count++], command);
		command = arg + 1;
		if (last)
			break;
	}
	const int status = run(limit);
	end_everything();
	report();
	return status;
}

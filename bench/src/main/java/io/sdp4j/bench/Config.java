package io.sdp4j.bench;

/** A way to run the worker programs; the programs themselves are the same for all. */
enum Config {
    TCP("tcp", "kernel TCP", Agent.NONE, "", Cores.ANY),
    UNIX("unix", "AF_UNIX", Agent.NONE, "", Cores.ANY),
    SHM("shm", "sdp4j", Agent.OFFLOADS, "", Cores.ANY),
    PARKED("parked", "sdp4j, spinning off", Agent.OFFLOADS, "spin.max.us=0", Cores.ANY),
    RULE_KERNEL("kernel", "agent, rules say kernel", Agent.KERNEL, "", Cores.ANY),
    TCP_PINNED("tcp-pinned", "kernel TCP, one core", Agent.NONE, "", Cores.ONE),
    SHM_PINNED("shm-pinned", "sdp4j, one core", Agent.OFFLOADS, "", Cores.ONE),
    KERNEL_PINNED(
            "kernel-pinned", "agent, rules say kernel, one core", Agent.KERNEL, "", Cores.ONE),
    /** As it is without any setting. */
    DEFAULTS("defaults", "sdp4j, no settings", Agent.MAY_OFFLOAD, "", Cores.ANY),
    DEFAULTS_PINNED(
            "defaults-pinned", "sdp4j, no settings, one core", Agent.MAY_OFFLOAD, "", Cores.ONE),
    /** Moves as soon as TCP has connected. */
    AT_CONNECT(
            "connect", "sdp4j, upgrade=connect", Agent.MAY_OFFLOAD, "upgrade=connect", Cores.ANY),
    AT_CONNECT_PINNED(
            "connect-pinned",
            "sdp4j, upgrade=connect, one core",
            Agent.MAY_OFFLOAD,
            "upgrade=connect",
            Cores.ONE),
    TCP_INTERPRETED("tcp-xint", "kernel TCP, -Xint", Agent.NONE, "", Cores.ANY),
    SHM_INTERPRETED("shm-xint", "sdp4j, -Xint", Agent.OFFLOADS, "", Cores.ANY),
    ASYNC_TCP("async-tcp", "kernel TCP", Agent.NONE, "", Cores.ANY),
    ASYNC_COPYING("async-copy", "sdp4j, copying", Agent.OFFLOADS, "async.enabled=true", Cores.ANY),
    ASYNC_LENDING(
            "async-lend",
            "sdp4j, borrowing",
            Agent.OFFLOADS,
            "async.enabled=true,zcopy.enabled=true",
            Cores.ANY),
    VERBS("verbs", "sdp4j", Agent.OFFLOADS, Config.ONLY_VERBS + ",zcopy.enabled=false", Cores.ANY),
    VERBS_LENDING(
            "verbs-lend",
            "sdp4j, borrowing",
            Agent.OFFLOADS,
            Config.ONLY_VERBS + ",zcopy.enabled=true",
            Cores.ANY),
    /** The same programs, every socket call of whose goes to rsockets. */
    RSOCKETS("rsockets", "librspreload", Agent.NONE, "", Cores.ANY),
    /** Other programs, which only post and poll. */
    BARE("bare", "bare verbs", Agent.NONE, "", Cores.ANY),
    /** The same, one read at a time, which the other side announces and is answered. */
    BARE_TOLD("bare-told", "bare verbs, each read announced", Agent.NONE, "", Cores.ANY);

    private static final String ONLY_VERBS =
            "verbs.enabled=true,shm.enabled=false,verbs.connect.timeout.ms=5000"
                    + ",connect.timeout.ms=20000";

    /** Duty of the agent, if there is one, at every connection. */
    enum Agent {
        NONE,
        OFFLOADS,
        MAY_OFFLOAD,
        KERNEL
    }

    /** Where the two JVMs may run. */
    enum Cores {
        ANY,
        /** Both on the first. */
        ONE
    }

    /** Whether it is the programs that only post and poll. */
    boolean isBare() {
        return this == BARE || this == BARE_TOLD;
    }

    /** Whether it runs without compilers. */
    boolean isInterpreted() {
        return this == TCP_INTERPRETED || this == SHM_INTERPRETED;
    }

    final String id;
    final String title;
    final Agent agent;

    /** More agent options, in the agent's own syntax. */
    final String agentOptions;

    final Cores cores;

    Config(String id, String title, Agent agent, String agentOptions, Cores cores) {
        this.id = id;
        this.title = title;
        this.agent = agent;
        this.agentOptions = agentOptions;
        this.cores = cores;
    }
}

package io.sdp4j.bench;

/** A way to run the worker programs; the programs themselves are the same for all. */
enum Config {
    TCP("tcp", "kernel TCP", Agent.NONE, ""),
    UNIX("unix", "AF_UNIX", Agent.NONE, ""),
    SHM("shm", "sdp4j", Agent.OFFLOADS, ""),
    PARKED("parked", "sdp4j, spinning off", Agent.OFFLOADS, "spin.max.us=0"),
    RULE_KERNEL("kernel", "agent, rules say kernel", Agent.KERNEL, ""),
    TCP_PINNED(TCP),
    SHM_PINNED(SHM),
    KERNEL_PINNED(RULE_KERNEL),
    /** As it is without any setting. */
    DEFAULTS("defaults", "sdp4j, no settings", Agent.MAY_OFFLOAD, ""),
    DEFAULTS_PINNED(DEFAULTS),
    /** Moves as soon as TCP has connected. */
    AT_CONNECT("connect", "sdp4j, upgrade=connect", Agent.MAY_OFFLOAD, "upgrade=connect"),
    AT_CONNECT_PINNED(AT_CONNECT),
    TCP_INTERPRETED("tcp-xint", "kernel TCP, -Xint", Agent.NONE, ""),
    SHM_INTERPRETED("shm-xint", "sdp4j, -Xint", Agent.OFFLOADS, ""),
    ASYNC_TCP("async-tcp", "kernel TCP", Agent.NONE, ""),
    ASYNC_COPYING("async-copy", "sdp4j, copying", Agent.OFFLOADS, "async.enabled=true"),
    ASYNC_LENDING(
            "async-lend",
            "sdp4j, borrowing",
            Agent.OFFLOADS,
            "async.enabled=true,zcopy.enabled=true"),
    VERBS("verbs", "sdp4j", Agent.OFFLOADS, Config.ONLY_VERBS + ",zcopy.enabled=false"),
    VERBS_LENDING(
            "verbs-lend",
            "sdp4j, borrowing",
            Agent.OFFLOADS,
            Config.ONLY_VERBS + ",zcopy.enabled=true"),
    /** The same programs, every socket call of whose goes to rsockets. */
    RSOCKETS("rsockets", "librspreload", Agent.NONE, ""),
    /** Other programs, which only post and poll. */
    BARE("bare", "bare verbs", Agent.NONE, ""),
    /** The same, one read at a time, which the other side announces and is answered. */
    BARE_TOLD("bare-told", "bare verbs, each read announced", Agent.NONE, "");

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

    /** Whether both JVMs may run on the first core only. */
    final boolean pinned;

    Config(String id, String title, Agent agent, String agentOptions) {
        this(id, title, agent, agentOptions, false);
    }

    /** The same on one core. */
    Config(Config free) {
        this(free.id + "-pinned", free.title + ", one core", free.agent, free.agentOptions, true);
    }

    Config(String id, String title, Agent agent, String agentOptions, boolean pinned) {
        this.id = id;
        this.title = title;
        this.agent = agent;
        this.agentOptions = agentOptions;
        this.pinned = pinned;
    }
}

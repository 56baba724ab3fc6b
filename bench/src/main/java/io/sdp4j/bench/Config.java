package io.sdp4j.bench;

/** A way to run the worker programs; the programs themselves are the same for all. */
enum Config {
    TCP("tcp", "kernel TCP", Agent.NONE, "", false),
    UNIX("unix", "AF_UNIX", Agent.NONE, "", false),
    SHM("shm", "sdp4j", Agent.OFFLOADS, "", false),
    PARKED("parked", "sdp4j, spinning off", Agent.OFFLOADS, "spin.max.us=0", false),
    RULE_KERNEL("kernel", "agent, rules say kernel", Agent.KERNEL, "", false),
    TCP_PINNED("tcp-pinned", "kernel TCP, one core", Agent.NONE, "", true),
    SHM_PINNED("shm-pinned", "sdp4j, one core", Agent.OFFLOADS, "", true);

    /** What the agent, if there is one, must do with every connection. */
    enum Agent {
        NONE,
        OFFLOADS,
        KERNEL
    }

    final String id;
    final String title;
    final Agent agent;

    /** More agent options, in the agent's own syntax. */
    final String agentOptions;

    /** Whether both JVMs may use the first core only. */
    final boolean pinned;

    Config(String id, String title, Agent agent, String agentOptions, boolean pinned) {
        this.id = id;
        this.title = title;
        this.agent = agent;
        this.agentOptions = agentOptions;
        this.pinned = pinned;
    }
}

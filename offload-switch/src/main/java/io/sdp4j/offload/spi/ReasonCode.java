package io.sdp4j.offload.spi;

/**
 * Why a connection is where it is, in one stable word. The names are an interface: reports and
 * tests rely on them.
 */
public enum ReasonCode {
    OFFLOADED("carried by an offload provider"),
    RULE_DIRECT("a rule says direct: no provider is asked"),
    RULE_TCP("a rule says tcp"),
    SWITCH_OFF("the switch is off in this JVM"),
    KERNEL_SCOPE("the program asked for a kernel socket"),
    YOUNG("it may be offloaded later, once it has carried enough"),
    NOT_WORTH("it would gain too little from offload"),
    PROXY("a proxy handles this destination"),
    NO_PROVIDER("no provider is usable in this JVM"),
    NOT_LOCAL("the destination is not on this host and no RDMA device reaches it"),
    NO_PEER("nobody offers offload at the destination"),
    PEER_REFUSED("the peer refused"),
    BACKLOG("the peer's backlog is full"),
    TIMED_OUT("no answer in time"),
    REMEMBERED("it did not answer lately"),
    VERSION("the peer speaks another version"),
    UID("the port is another user's, or not that of the process behind the rendezvous"),
    MEMORY("a limit of memory or descriptors was met"),
    PROTOCOL("the peer broke the protocol during set-up"),
    UNAVAILABLE("something that the provider needs is not to be had"),
    ACCEPTED_TCP("the peer came in by TCP"),
    ABANDONED("the caller gave the attempt up"),
    INTERNAL("a fault of the provider");

    private final String sentence;

    ReasonCode(String sentence) {
        this.sentence = sentence;
    }

    /** One sentence for people, without a full stop. */
    public String sentence() {
        return sentence;
    }
}

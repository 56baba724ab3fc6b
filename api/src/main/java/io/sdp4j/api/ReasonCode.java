package io.sdp4j.api;

/**
 * Why a connection is where it is, in one stable word. The names are an interface: reports and
 * tests rely on them. Later versions may add some.
 *
 * @since 0.1
 */
public enum ReasonCode {
    /** Carried by an offload provider. */
    OFFLOADED("carried by an offload provider"),
    /** A rule says direct: no provider is asked. */
    RULE_DIRECT("a rule says direct: no provider is asked"),
    /** A rule says tcp. */
    RULE_TCP("a rule says tcp"),
    /** The rule file was refused, and no other rules are in force. */
    NO_RULES("the rule file was refused, and no other rules are in force"),
    /** The switch is off in this JVM. */
    SWITCH_OFF("the switch is off in this JVM"),
    /** The program asked for a kernel socket. */
    KERNEL_SCOPE("the program asked for a kernel socket"),
    /** It may be offloaded later, once it has carried enough. */
    YOUNG("it may be offloaded later, once it has carried enough"),
    /** It would gain too little from offload. */
    NOT_WORTH("it would gain too little from offload"),
    /** A proxy handles this destination. */
    PROXY("a proxy handles this destination"),
    /** No provider is usable in this JVM. */
    NO_PROVIDER("no provider is usable in this JVM"),
    /** The destination is not on this host and no RDMA device reaches it. */
    NOT_LOCAL("the destination is not on this host and no RDMA device reaches it"),
    /** No process offers offload at the destination. */
    NO_PEER("no process offers offload at the destination"),
    /** The peer refused. */
    PEER_REFUSED("the peer refused"),
    /** The peer's backlog is full. */
    BACKLOG("the peer's backlog is full"),
    /** The peer's application has not accepted the connection that is to move. */
    NOT_ACCEPTED("the peer's application has not accepted the connection that is to move"),
    /** No answer in time. */
    TIMED_OUT("no answer in time"),
    /** An attempt there failed lately. */
    REMEMBERED("an attempt there failed lately"),
    /** The peer speaks another version. */
    VERSION("the peer speaks another version"),
    /** The port belongs to another user, or to another process than the one found. */
    UID("the port belongs to another user, or to another process than the one found"),
    /** A limit of memory or descriptors was reached here or at the listener. */
    MEMORY("a limit of memory or descriptors was reached here or at the listener"),
    /** One end wants more buffers than the other allows. */
    BUFFERS("one end wants more buffers than the other allows"),
    /** The peer broke the protocol during set-up. */
    PROTOCOL("the peer broke the protocol during set-up"),
    /** Something that the provider needs is missing. */
    UNAVAILABLE("something that the provider needs is missing"),
    /** Accepted from TCP. */
    ACCEPTED_TCP("accepted from TCP"),
    /** The caller gave the attempt up. */
    ABANDONED("the caller gave the attempt up"),
    /** A fault of the provider. */
    INTERNAL("a fault of the provider");

    private final String sentence;

    ReasonCode(String sentence) {
        this.sentence = sentence;
    }

    /**
     * The same for people.
     *
     * @return one sentence, without a full stop
     */
    public String sentence() {
        return sentence;
    }
}

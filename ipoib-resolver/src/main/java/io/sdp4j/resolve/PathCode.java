package io.sdp4j.resolve;

/** Why a path can or cannot be used, in one stable word. Reports and tests rely on the names. */
public enum PathCode {
    USABLE("the path can be used"),
    NOT_LOCAL("the address is not this host's"),
    LOOPBACK("loopback addresses are not on RDMA devices"),
    MULTICAST("multicast has no connections"),
    LINK_LOCAL("a server could not see the scope of a link-local IPv6 address"),
    NO_DEVICE("no RDMA device is present"),
    NO_ROUTE("the kernel has no route to the address"),
    NOT_RDMA("the route leaves by an interface that is not on an RDMA device"),
    NO_GID("the device has no GID for the source address"),
    NO_PARTITION("the device's port is not in the partition of the interface"),
    LINK_DOWN("the interface is down"),
    PORT_DOWN("the device's port is not active"),
    NO_FABRIC("this build has no such fabric");

    private final String sentence;

    PathCode(String sentence) {
        this.sentence = sentence;
    }

    /** One sentence for people, without a full stop. */
    public String sentence() {
        return sentence;
    }
}

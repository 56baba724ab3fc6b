/** The switch between the JDK's sockets and offload providers; knows no protocol. */
@SuppressWarnings("module") // those that may use it are built after it
module io.sdp4j.offload {
    requires transitive io.sdp4j.api;
    requires transitive io.sdp4j.policy;
    requires org.slf4j;

    exports io.sdp4j.offload to
            io.sdp4j,
            io.sdp4j.agent;
    exports io.sdp4j.offload.aio to
            io.sdp4j,
            io.sdp4j.agent;
    exports io.sdp4j.offload.jdk to
            io.sdp4j,
            io.sdp4j.agent;
    exports io.sdp4j.offload.net to
            io.sdp4j,
            io.sdp4j.agent;
    exports io.sdp4j.offload.nio to
            io.sdp4j,
            io.sdp4j.agent;
    // for plug-ins, whichever
    exports io.sdp4j.offload.spi;
}

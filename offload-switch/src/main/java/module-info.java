/** The switch between the JDK's sockets and offload providers; knows no protocol. */
module io.sdp4j.offload {
    requires transitive io.sdp4j.api;
    requires transitive io.sdp4j.policy;
    requires org.slf4j;

    exports io.sdp4j.offload;
    exports io.sdp4j.offload.aio;
    exports io.sdp4j.offload.jdk;
    exports io.sdp4j.offload.net;
    exports io.sdp4j.offload.nio;
    exports io.sdp4j.offload.spi;
}

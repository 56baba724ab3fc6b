/** The Sockets Direct Protocol as an offload provider, and as the public API's implementation. */
@SuppressWarnings("module") // the agent is built after this module
module io.sdp4j {
    requires transitive io.sdp4j.offload;
    requires io.sdp4j.fabric;
    requires io.sdp4j.fabric.shm;
    requires io.sdp4j.fabric.verbs;
    requires io.sdp4j.linux;
    requires io.sdp4j.resolve;
    requires io.sdp4j.wire;
    requires org.slf4j;

    exports io.sdp4j.stream to
            io.sdp4j.agent;
    exports io.sdp4j.trace to
            io.sdp4j.agent;

    provides io.sdp4j.api.spi.SdpService with
            io.sdp4j.ApiService;
}

/** The public API of sdp4j. Its implementation is a service of the module {@code io.sdp4j}. */
@SuppressWarnings("module") // the implementation is built after it
module io.sdp4j.api {
    requires static transitive org.jspecify;

    exports io.sdp4j.api;
    exports io.sdp4j.api.spi to
            io.sdp4j;

    uses io.sdp4j.api.spi.SdpService;
}

/** The public API of sdp4j. Its implementation is a service of the module {@code io.sdp4j}. */
module io.sdp4j.api {
    requires static org.jspecify;

    exports io.sdp4j.api;
}

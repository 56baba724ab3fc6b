/** From an address pair to the fabrics that may carry it. Knows no other module of sdp4j. */
@SuppressWarnings("module") // those that may use it are built after it
module io.sdp4j.resolve {
    exports io.sdp4j.resolve to
            io.sdp4j,
            io.sdp4j.agent;
}

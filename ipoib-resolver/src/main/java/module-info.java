/** From an address pair to the fabrics that may carry it. Knows no other module of sdp4j. */
module io.sdp4j.resolve {
    exports io.sdp4j.resolve;
}

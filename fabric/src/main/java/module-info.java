/** RC queue pairs: the SPI that every fabric implements. */
module io.sdp4j.fabric {
    exports io.sdp4j.fabric;
}

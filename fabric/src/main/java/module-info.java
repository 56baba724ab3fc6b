/** RC queue pairs: the SPI that every fabric implements, those of plug-ins included. */
module io.sdp4j.fabric {
    exports io.sdp4j.fabric;
}

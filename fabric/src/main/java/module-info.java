/** RC queue pairs: the SPI that every fabric implements. */
@SuppressWarnings("module") // those that may use it are built after it
module io.sdp4j.fabric {
    exports io.sdp4j.fabric to
            io.sdp4j,
            io.sdp4j.fabric.shm,
            io.sdp4j.fabric.verbs;
}

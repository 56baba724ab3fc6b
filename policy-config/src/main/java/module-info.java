/** Rule files and settings: which connection goes where. Knows no other module of sdp4j. */
module io.sdp4j.policy {
    exports io.sdp4j.policy;
}

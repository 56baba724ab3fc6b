package io.sdp4j.e2e;

/** The JDK's HTTP server and client, with TLS. */
class JdkHttpsApplicationIT extends ChannelApplicationContract {
    JdkHttpsApplicationIT() {
        super(ChannelApplication.JDK_HTTPS);
    }
}

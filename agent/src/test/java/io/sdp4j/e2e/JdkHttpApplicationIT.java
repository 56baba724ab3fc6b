package io.sdp4j.e2e;

/** The JDK's HTTP server and client. */
class JdkHttpApplicationIT extends ChannelApplicationContract {
    JdkHttpApplicationIT() {
        super(ChannelApplication.JDK_HTTP);
    }
}

package io.sdp4j.e2e;

/** Jetty's server and the JDK's client, which speak HTTP/2. */
class JettyHttp2ApplicationIT extends ChannelApplicationContract {
    JettyHttp2ApplicationIT() {
        super(ChannelApplication.JETTY_HTTP2);
    }
}

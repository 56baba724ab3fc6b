package io.sdp4j.e2e;

/** Netty at both ends, with TLS. */
class NettyTlsApplicationIT extends ChannelApplicationContract {
    NettyTlsApplicationIT() {
        super(ChannelApplication.NETTY_TLS);
    }
}

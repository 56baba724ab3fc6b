package io.sdp4j.e2e;

/** gRPC at both ends. */
class GrpcApplicationIT extends ChannelApplicationContract {
    GrpcApplicationIT() {
        super(ChannelApplication.GRPC);
    }
}

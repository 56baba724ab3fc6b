package io.sdp4j.bench.apps;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.sdp4j.bench.net.Place;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;

/**
 * gRPC on its own copy of Netty: unary calls, whose bytes come back, all on one connection. Netty's
 * native transport, which makes its own system calls, is off.
 */
final class GrpcApp implements App {
    private static final MethodDescriptor<byte[], byte[]> ECHO =
            MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName(MethodDescriptor.generateFullMethodName("bytes", "Echo"))
                    .build();

    GrpcApp() {
        System.setProperty("io.grpc.netty.shaded.io.netty.transport.noNative", "true");
    }

    @Override
    public int serve() throws IOException {
        Server server =
                NettyServerBuilder.forAddress(new InetSocketAddress(Place.here(), 0))
                        .addService(
                                ServerServiceDefinition.builder("bytes")
                                        .addMethod(
                                                ECHO,
                                                ServerCalls.asyncUnaryCall(
                                                        (request, answers) -> {
                                                            answers.onNext(request);
                                                            answers.onCompleted();
                                                        }))
                                        .build())
                        .build()
                        .start();
        return server.getPort();
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws IOException {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress(new InetSocketAddress(Place.here(), port))
                        .usePlaintext()
                        .build();
        byte[] request = new byte[bytes];
        for (int i = 0; i < atOnce; i++) {
            tally.repeat(() -> call(channel, request));
        }
    }

    private static void call(ManagedChannel channel, byte[] request) throws IOException {
        byte[] answer = ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, request);
        if (answer.length != request.length) {
            throw new IOException(answer.length + " bytes came back");
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException impossible) { // all of it is here
                throw new UncheckedIOException(impossible);
            }
        }
    }
}

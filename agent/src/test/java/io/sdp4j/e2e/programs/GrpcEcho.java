package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * gRPC on its own copy of Netty, with messages that are plain bytes: {@code server PORTS} has a
 * method of each kind, {@code client PORTS} calls and compares.
 */
public final class GrpcEcho {
    /** Gives the digest of its request. */
    private static final MethodDescriptor<byte[], byte[]> DIGEST =
            method("Digest", MethodType.UNARY);

    /** Gives as many messages as its request says. */
    private static final MethodDescriptor<byte[], byte[]> POUR =
            method("Pour", MethodType.SERVER_STREAMING);

    /** Gives the digest of all its requests. */
    private static final MethodDescriptor<byte[], byte[]> GATHER =
            method("Gather", MethodType.CLIENT_STREAMING);

    /** Gives back every message. */
    private static final MethodDescriptor<byte[], byte[]> ECHO =
            method("Echo", MethodType.BIDI_STREAMING);

    private static final int MESSAGES = 1_000;
    private static final int LARGE_BYTES = 3_000_000;
    private static final long LIMIT_SECONDS = 50;

    private GrpcEcho() {}

    /** Serves until it is ended, or visits. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("server")) {
            Server server = serve(Listening.addresses(args[1]));
            System.out.println("READY");
            server.awaitTermination();
        } else {
            int visits = 0;
            for (int port : Listening.ports(args[1])) {
                visit(new Visit(++visits), port);
            }
        }
    }

    /** A running server at all these addresses. */
    static Server serve(List<InetSocketAddress> addresses) throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(addresses.getFirst());
        addresses.stream().skip(1).forEach(builder::addListenAddress);
        return builder.maxInboundMessageSize(2 * LARGE_BYTES).addService(service()).build().start();
    }

    private static ServerServiceDefinition service() {
        return ServerServiceDefinition.builder("bytes")
                .addMethod(
                        DIGEST,
                        ServerCalls.asyncUnaryCall(
                                (request, answers) -> answer(answers, digest(request))))
                .addMethod(POUR, ServerCalls.asyncServerStreamingCall(GrpcEcho::pour))
                .addMethod(GATHER, ServerCalls.asyncClientStreamingCall(Gatherer::new))
                .addMethod(ECHO, ServerCalls.asyncBidiStreamingCall(Echo::new))
                .build();
    }

    private static void visit(Visit visit, int port) throws Exception {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port)
                        .usePlaintext()
                        .maxInboundMessageSize(2 * LARGE_BYTES)
                        .build();
        try {
            visit.tell("right.unary", unary(channel));
            visit.tell("right.pour", pour(channel));
            visit.tell("right.gather", gather(channel));
            visit.tell("right.echo", echo(channel));
        } finally {
            channel.shutdown().awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    static boolean unary(ManagedChannel channel) {
        boolean right = true;
        for (int i = 0; i < 100; i++) {
            byte[] request = Pattern.bytes(i == 50 ? LARGE_BYTES : i * 100);
            byte[] answer =
                    ClientCalls.blockingUnaryCall(channel, DIGEST, CallOptions.DEFAULT, request);
            right &= Arrays.equals(digest(request), answer);
        }
        return right;
    }

    private static boolean pour(ManagedChannel channel) {
        Iterator<byte[]> answers =
                ClientCalls.blockingServerStreamingCall(
                        channel,
                        POUR,
                        CallOptions.DEFAULT,
                        Integer.toString(MESSAGES).getBytes(US_ASCII));
        boolean right = true;
        for (int i = 0; i < MESSAGES; i++) {
            right &= answers.hasNext() && Arrays.equals(message(i), answers.next());
        }
        return right && !answers.hasNext();
    }

    private static boolean gather(ManagedChannel channel) throws Exception {
        Collector answers = new Collector();
        StreamObserver<byte[]> requests =
                ClientCalls.asyncClientStreamingCall(
                        channel.newCall(GATHER, CallOptions.DEFAULT), answers);
        byte[] sent = send(requests);
        return Arrays.equals(digest(sent), answers.await());
    }

    private static boolean echo(ManagedChannel channel) throws Exception {
        Collector answers = new Collector();
        StreamObserver<byte[]> requests =
                ClientCalls.asyncBidiStreamingCall(
                        channel.newCall(ECHO, CallOptions.DEFAULT), answers);
        byte[] sent = send(requests);
        return Arrays.equals(sent, answers.await());
    }

    private static byte[] send(StreamObserver<byte[]> requests) {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        for (int i = 0; i < MESSAGES; i++) {
            byte[] message = message(i);
            sent.writeBytes(message);
            requests.onNext(message);
        }
        requests.onCompleted();
        return sent.toByteArray();
    }

    /** Small ones, and every now and then one larger than a frame. */
    private static byte[] message(int i) {
        return Pattern.bytes(i % 100 == 0 ? 40_000 + i : i);
    }

    private static byte[] digest(byte[] bytes) {
        return Pattern.digest(bytes).getBytes(US_ASCII);
    }

    private static void answer(StreamObserver<byte[]> answers, byte[] answer) {
        answers.onNext(answer);
        answers.onCompleted();
    }

    private static void pour(byte[] request, StreamObserver<byte[]> answers) {
        int count = Integer.parseInt(new String(request, US_ASCII));
        for (int i = 0; i < count; i++) {
            answers.onNext(message(i));
        }
        answers.onCompleted();
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("bytes", name))
                .build();
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

    /** Keeps everything that comes. */
    private abstract static class Taker implements StreamObserver<byte[]> {
        final ByteArrayOutputStream taken = new ByteArrayOutputStream();

        @Override
        public void onNext(byte[] message) {
            taken.writeBytes(message);
        }

        @Override
        public void onError(Throwable t) {
            System.err.println(t);
        }
    }

    private static final class Gatherer extends Taker {
        private final StreamObserver<byte[]> answers;

        Gatherer(StreamObserver<byte[]> answers) {
            this.answers = answers;
        }

        @Override
        public void onCompleted() {
            answer(answers, digest(taken.toByteArray()));
        }
    }

    private static final class Echo extends Taker {
        private final StreamObserver<byte[]> answers;

        Echo(StreamObserver<byte[]> answers) {
            this.answers = answers;
        }

        @Override
        public void onNext(byte[] message) {
            answers.onNext(message);
        }

        @Override
        public void onCompleted() {
            answers.onCompleted();
        }
    }

    private static final class Collector extends Taker {
        private final CompletableFuture<byte[]> all = new CompletableFuture<>();

        @Override
        public void onError(Throwable t) {
            all.completeExceptionally(t);
        }

        @Override
        public void onCompleted() {
            all.complete(taken.toByteArray());
        }

        byte[] await() throws Exception {
            return all.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }
}

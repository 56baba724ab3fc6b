package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * A Ratis group of one server, on gRPC: queries, whose bytes come back, in a client for each at
 * once. Netty's native transport, which makes its own system calls, is off.
 */
final class RatisApp implements App {
    private static final RaftPeerId SERVER = RaftPeerId.valueOf("server");
    private static final RaftGroupId GROUP = RaftGroupId.valueOf(new UUID(1, 2));

    RatisApp() {
        System.setProperty("org.apache.ratis.thirdparty.io.netty.transport.noNative", "true");
    }

    @Override
    public int serve() throws IOException {
        int port = Place.freePort();
        RaftProperties properties = properties();
        GrpcConfigKeys.Server.setHost(properties, Place.here().getHostAddress());
        GrpcConfigKeys.Server.setPort(properties, port);
        RaftServerConfigKeys.setStorageDir(
                properties, List.of(WorkFolder.create("ratis").toFile()));
        RaftServer.newBuilder()
                .setServerId(SERVER)
                .setGroup(group(port))
                .setStateMachine(new Echo())
                .setProperties(properties)
                .build()
                .start();
        return port;
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws IOException {
        Message query = Message.valueOf(ByteString.copyFrom(new byte[bytes]));
        for (int i = 0; i < atOnce; i++) {
            RaftClient client =
                    RaftClient.newBuilder()
                            .setProperties(properties())
                            .setRaftGroup(group(port))
                            .build();
            tally.repeat(() -> ask(client, query));
        }
    }

    private static void ask(RaftClient client, Message query) throws IOException {
        Message answer = client.io().sendReadOnly(query).getMessage();
        if (!answer.getContent().equals(query.getContent())) {
            throw new IOException("not the bytes that were sent");
        }
    }

    private static RaftProperties properties() {
        RaftProperties properties = new RaftProperties();
        RaftConfigKeys.Rpc.setType(properties, SupportedRpcType.GRPC);
        return properties;
    }

    private static RaftGroup group(int port) throws IOException {
        return RaftGroup.valueOf(
                GROUP,
                RaftPeer.newBuilder()
                        .setId(SERVER)
                        .setAddress(Place.here().getHostAddress() + ":" + port)
                        .build());
    }

    private static final class Echo extends BaseStateMachine {
        @Override
        public CompletableFuture<Message> query(Message request) {
            return CompletableFuture.completedFuture(request);
        }
    }
}

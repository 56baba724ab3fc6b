package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.blocks.MessageDispatcher;
import org.jgroups.blocks.RequestOptions;
import org.jgroups.protocols.BasicTCP;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TCP_NIO2;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;

/**
 * A JGroups cluster of two: requests to the other member, whose bytes come back, all on the one
 * connection that members have.
 */
record JgroupsApp(Supplier<BasicTCP> transport) implements App {
    private static final String CLUSTER = "bench";

    static JgroupsApp blocking() {
        return new JgroupsApp(TCP::new);
    }

    static JgroupsApp nio() {
        return new JgroupsApp(TCP_NIO2::new);
    }

    @Override
    public int serve() throws Exception {
        int port = Place.freePort();
        MessageDispatcher member = member(port, port);
        member.setRequestHandler(
                request -> {
                    int from = request.getOffset();
                    return Arrays.copyOfRange(request.getArray(), from, from + request.getLength());
                });
        member.getChannel().connect(CLUSTER);
        return port;
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally) throws Exception {
        MessageDispatcher member = member(Place.freePort(), port);
        member.getChannel().connect(CLUSTER);
        Address server = member.getChannel().getView().getCoord();
        byte[] request = new byte[bytes];
        for (int i = 0; i < atOnce; i++) {
            tally.repeat(() -> ask(member, server, request));
        }
    }

    private MessageDispatcher member(int port, int serverPort) throws Exception {
        BasicTCP tcp = transport.get();
        tcp.setBindAddress(Place.here()).setBindPort(port).setPortRange(0);
        InetSocketAddress server = new InetSocketAddress(Place.here(), serverPort);
        return new MessageDispatcher(
                new JChannel(
                        tcp,
                        new TCPPING().initialHosts(List.of(server)).portRange(0),
                        new NAKACK2(),
                        new UNICAST3(),
                        new STABLE(),
                        new GMS().printLocalAddress(false),
                        new UFC(),
                        new FRAG2()));
    }

    private static void ask(MessageDispatcher member, Address server, byte[] request)
            throws Exception {
        byte[] answer =
                member.sendMessage(new BytesMessage(server, request), RequestOptions.SYNC());
        if (answer.length != request.length) {
            throw new IOException(answer.length + " bytes came back");
        }
    }
}

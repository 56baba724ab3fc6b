package io.sdp4j.e2e.programs;

import io.sdp4j.api.SdpConfig;
import io.sdp4j.api.SdpProvider;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.DefaultSocketFactory;

/**
 * A JGroups cluster of two members in one JVM, whose sockets come from the explicit API: they are
 * SDP, or there is no cluster.
 */
public final class ExplicitJgroups {
    private static final int BYTES = 200_003;

    private ExplicitJgroups() {}

    public static void main(String[] args) throws Exception {
        SdpConfig config = SdpConfig.builder().fabrics("shm").build();
        try (SdpProvider sdp = SdpProvider.open(config);
                JChannel first = member(sdp, List.of())) {
            first.connect("explicit");
            Object at = first.down(new Event(Event.GET_PHYSICAL_ADDRESS, first.address()));
            CompletableFuture<byte[]> got = new CompletableFuture<>();
            Receiver receiver =
                    new Receiver() {
                        @Override
                        public void receive(Message message) {
                            int from = message.getOffset();
                            got.complete(
                                    Arrays.copyOfRange(
                                            message.getArray(), from, from + message.getLength()));
                        }
                    };
            first.setReceiver(receiver);
            try (JChannel second = member(sdp, List.of((IpAddress) at))) {
                second.connect("explicit");
                System.out.println("members=" + second.view().size());
                second.send(new BytesMessage(first.address(), Pattern.bytes(BYTES)));
                byte[] bytes = got.get(50, TimeUnit.SECONDS);
                System.out.println("right=" + Arrays.equals(Pattern.bytes(BYTES), bytes));
            }
        }
    }

    private static JChannel member(SdpProvider sdp, List<PhysicalAddress> others) throws Exception {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        TCP transport = new TCP();
        transport.setBindAddress(loopback).setBindPort(Casts.freePort(loopback)).setPortRange(10);
        transport.setSocketFactory(
                new DefaultSocketFactory(sdp.socketFactory(), sdp.serverSocketFactory()));
        return new JChannel(
                transport,
                new TCPPING().setInitialHosts2(others).setPortRange(0),
                new NAKACK2().useMcastXmit(false),
                new UNICAST3(),
                new STABLE(),
                new GMS().printLocalAddress(false),
                new FRAG2());
    }
}

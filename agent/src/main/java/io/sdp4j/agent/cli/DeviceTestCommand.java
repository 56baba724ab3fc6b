package io.sdp4j.agent.cli;

import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.stream.SdpOffloadProvider;
import io.sdp4j.stream.SdpProviders;
import io.sdp4j.stream.SdpSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Run by the doctor for each RDMA port, in a process of its own: a driver's library that crashes or
 * never returns takes nothing else with it, and nothing is left over.
 */
@Command(
        name = DeviceTestCommand.NAME,
        hidden = true,
        description = "Connect this host with itself over the RDMA device that has an address.",
        footer = {"", "Prints KEY=VALUE lines. Exit code 0: every byte came back; 1: it failed."})
final class DeviceTestCommand extends Subcommand {
    static final String NAME = "device-test";
    static final String MILLIS = "--millis";

    @Option(names = MILLIS, paramLabel = "N", description = "Longest time, once it is opened.")
    private long millis = 2_000;

    @Parameters(paramLabel = "ADDRESS", description = "An address of this host on the device.")
    private String address;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = out();
        InetAddress at;
        try {
            at = InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw wrong("unknown host " + address);
        }
        try {
            DeviceTest.say(out::println, DeviceTest.Step.OPEN);
            SdpOffloadProvider provider =
                    SdpProviders.create(
                            Settings.of(
                                    SdpSettings.ALL,
                                    Map.of("verbs.enabled", "true", "shm.enabled", "false"),
                                    line -> {}));
            String why = provider.fabricStatus().get(DeviceResolver.VERBS);
            if (why == null || !why.isEmpty()) {
                throw new IOException(why);
            }
            long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            new DeviceTest(provider, DeviceResolver.VERBS, at, deadlineNanos, out::println).run();
            out.println("result=intact");
            return Exit.OK;
        } catch (OffloadUnavailable e) {
            out.println("reason=" + e.reason());
            return failed(out, e);
        } catch (IOException e) {
            return failed(out, e);
        }
    }

    private static int failed(PrintWriter out, Exception e) {
        out.println("failed=" + String.valueOf(e.getMessage()).replaceAll("\\R", " "));
        return Exit.FAILED;
    }
}

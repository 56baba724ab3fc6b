package io.sdp4j.agent;

import io.sdp4j.agent.log.LogSink;
import io.sdp4j.agent.plugin.Plugins;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.SwitchReport;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.jdk.KernelAsync;
import io.sdp4j.offload.net.SwitchSocketFactory;
import io.sdp4j.offload.net.SwitchSocketImpl;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Environment;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.PolicySource;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.LocalAddresses;
import java.io.IOException;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * Joins settings, rules, switch and provider of this JVM. Wiring only.
 *
 * <p>The shim calls {@link #start} when a socket or channel needs the switch, and {@link #report}
 * at exit, by name and number of parameters. The provider is made at the first connection or
 * listener that a rule wants offloaded: no descriptor is opened before, and no native call made.
 * {@link JmxBean} has a thread from the first question to the rules.
 */
public final class Agent {
    private static final String JDK_SDP = "com.sun.sdp.conf";

    /** The key of the lines that the shim has printed already. */
    private static final String TOLD = "told";

    /** The switch of this JVM; null before it has started, and if it could not start. */
    private static volatile OffloadSwitch started;

    private Agent() {}

    /**
     * Starts the switch.
     *
     * @param given the agent's options; under {@value #JDK_SDP} the value that the JDK's own switch
     *     was to read, and under {@value #TOLD} the lines that were printed before
     * @param early gives the connections that the kernel has made without the switch, by reason:
     *     how many were connected, and how many were accepted
     * @param inForce gives the rules that those connections obeyed, as {@link EarlyRules} has them,
     *     or those that {@link StartCheck} has read; null if none were read
     * @return the factories for {@code Socket} and for {@code ServerSocket}
     * @throws IllegalStateException with one sentence for people when the switch cannot run here
     */
    public static SocketImplFactory[] start(
            Map<String, String> given,
            Supplier<Map<String, long[]>> early,
            Supplier<Object[]> inForce) {
        Map<String, String> options = new HashMap<>(given);
        String jdkConf = options.remove(JDK_SDP);
        String told = options.remove(TOLD);
        Console console = new Console(told == null ? "" : told);
        Settings settings = Settings.of(AgentSettings.ALL, options, console);
        boolean quiet = settings.flag(AgentSettings.QUIET);
        String logFile = settings.text(AgentSettings.LOG_FILE);
        LogSink.configure(settings.text(AgentSettings.LOG_LEVEL), logFile, quiet);
        console.start(quiet, !logFile.isEmpty());
        Optional<String> missing = JdkBridge.selfTest();
        if (missing.isPresent()) {
            throw new IllegalStateException(missing.get());
        }
        Supplier<Policy> rules =
                PolicySource.open(
                        options,
                        jdkConf,
                        settings,
                        Environment.system(),
                        console,
                        inForce == null ? null : inForce.get());
        LocalAddresses local = LocalAddresses.system();
        Plugins plugins = Plugins.of(settings.text(AgentSettings.PLUGINS), console);
        List<OffloadProvider> providers = new ArrayList<>();
        providers.add(
                new LazyProvider("sdp", new SdpMaker(settings, local, plugins.fabrics(), console)));
        providers.addAll(plugins.protocols());
        OffloadSwitch target =
                new OffloadSwitch(
                        settings.flag(AgentSettings.JMX) && hasJmx()
                                ? new JmxBean.Watching(rules)
                                : rules,
                        providers,
                        switchSettings(settings, console));
        target.counters().countedBefore(new ByReason(early));
        started = target;
        return new SocketImplFactory[] {
            new SwitchSocketFactory(target, false), new SwitchSocketFactory(target, true)
        };
    }

    /**
     * Returns the provider of asynchronous channels of the switch, which must have started.
     *
     * @throws IllegalStateException with one sentence for people when they cannot be switched
     */
    public static AsynchronousChannelProvider asynchronousChannels() {
        Optional<String> problem = KernelAsync.problem();
        if (problem.isPresent()) {
            throw new IllegalStateException(problem.get());
        }
        return new SwitchAsynchronousChannelProvider(started);
    }

    /**
     * Returns the provider of the channels of this JVM; called after {@link #start}, through
     * reflection.
     *
     * @param teach makes the JDK's file channels know switched ones; run once, when a file goes to
     *     one for the first time
     * @throws IllegalStateException with one sentence for people when channels cannot be switched
     */
    public static SelectorProvider channels(Runnable teach) {
        return SwitchChannels.provider(started, teach);
    }

    /**
     * Goes on with a socket that was made before the switch had started; called through reflection.
     *
     * @param state the state of the socket, as {@code java.net.EarlySocketImpl} or {@code
     *     EarlyServerImpl} gives it
     * @return null if the socket stays on the kernel
     */
    public static SocketImpl goOn(Map<String, Object> state) throws IOException {
        return SwitchSocketImpl.early(started, state);
    }

    /**
     * Goes on with a channel that was made before the switch had started; called through
     * reflection.
     *
     * @param provider the result of {@link #channels}
     * @param channel a {@code sun.nio.ch.ConnectionChannel}; or a {@code
     *     sun.nio.ch.ListeningChannel}, then the address and the backlog that the application asked
     *     for
     */
    public static void goOn(SelectorProvider provider, Object[] channel) throws IOException {
        try {
            SwitchChannels.goOn(provider, channel);
        } catch (ClosedChannelException e) {
            // the channel is closed already
        }
    }

    /**
     * Writes the report of this JVM.
     *
     * @param file the file to write; {@code %p} stands for the process id
     * @param early as in {@link #start}
     * @param off why there is no switch, or null
     */
    public static void report(String file, Supplier<Map<String, long[]>> early, String off)
            throws IOException {
        String pid = Long.toString(ProcessHandle.current().pid());
        Report.write(Path.of(file.replace("%p", pid)), reportText(early, off));
    }

    /** Returns the text that {@link #report} writes. */
    public static String reportText(Supplier<Map<String, long[]>> early, String off) {
        SwitchCounters counters = new SwitchCounters();
        counters.countedBefore(new ByReason(early));
        OffloadSwitch running = started;
        SwitchReport report = running != null ? running.report() : counters.report();
        return Report.json(report, off);
    }

    /** Converts the counts of the shim, which knows the reasons only by name. */
    private record ByReason(Supplier<Map<String, long[]>> early)
            implements Supplier<Map<ReasonCode, long[]>> {
        @Override
        public Map<ReasonCode, long[]> get() {
            Map<ReasonCode, long[]> counts = new EnumMap<>(ReasonCode.class);
            early.get().forEach((name, count) -> counts.put(ReasonCode.valueOf(name), count));
            return counts;
        }
    }

    /** Returns the switch of this JVM, which must have started. */
    static OffloadSwitch started() {
        return started;
    }

    /** Writes a line of the shim's to the log; called after {@link #start}, through reflection. */
    public static void warn(String line) {
        LoggerFactory.getLogger(Agent.class).warn(line);
    }

    /** The switch's counts so far, once it has started. */
    static SwitchReport snapshot() {
        return started.report();
    }

    private static SwitchSettings switchSettings(Settings settings, Consumer<String> sink) {
        return SwitchSettings.of(settings).withUpgrade(AgentSettings.upgrade(settings, sink));
    }

    /** Whether this JVM's image has JMX; without it no class that needs it may be loaded. */
    private static boolean hasJmx() {
        return ModuleLayer.boot().findModule("java.management").isPresent();
    }
}

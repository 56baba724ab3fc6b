package io.sdp4j.agent;

import io.sdp4j.offload.SwitchReport;
import io.sdp4j.policy.Environment;
import io.sdp4j.policy.Policy;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Registers {@link SwitchMXBean} in the platform's MBean server, as soon as other code has made
 * that server.
 *
 * <p>Making the server here would load a hundred classes into programs that never use it, and would
 * break application servers that want to choose its builder. So a daemon thread looks for it after
 * a second, and then after twice as long each time. The thread ends with the registration, or after
 * a minute, so that an idle program is not woken forever. The next use of the switch starts a new
 * thread.
 */
final class JmxBean implements Runnable {
    static final String NAME = "io.sdp4j:type=Switch";

    private static final String PLATFORM = "java.lang:type=Runtime";
    private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LAST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * Set while the thread looks, and for good once the bean is registered or the server has
     * refused it.
     */
    private static final AtomicBoolean WATCHING = new AtomicBoolean();

    private JmxBean() {}

    /** Starts the thread, unless it runs or has registered the bean. */
    private static void watch() {
        if (!WATCHING.get() && WATCHING.compareAndSet(false, true)) {
            Thread thread =
                    Thread.ofPlatform()
                            .group(Environment.topGroup())
                            .daemon()
                            .name("sdp4j-jmx")
                            .inheritInheritableThreadLocals(false)
                            .unstarted(new JmxBean());
            thread.setContextClassLoader(null);
            try {
                thread.start();
            } catch (OutOfMemoryError e) { // no thread: the next use tries again
                WATCHING.set(false);
            }
        }
    }

    /** Rules that call {@link #watch} each time they are asked. */
    record Watching(Supplier<Policy> rules) implements Supplier<Policy> {
        @Override
        public Policy get() {
            watch();
            return rules.get();
        }
    }

    @Override
    public void run() {
        try {
            MBeanServer server = platform();
            for (long nanos = FIRST_NANOS; server == null && nanos <= LAST_NANOS; nanos *= 2) {
                LockSupport.parkNanos(nanos);
                server = platform();
            }
            if (server == null) {
                WATCHING.set(false);
                return;
            }
            ObjectName name = new ObjectName(NAME);
            if (!server.isRegistered(name)) {
                server.registerMBean(
                        new StandardMBean(new Live(Agent::snapshot), SwitchMXBean.class, true),
                        name);
            }
        } catch (OutOfMemoryError e) {
            WATCHING.set(false); // the next use tries again
        } catch (JMException | RuntimeException | LinkageError e) {
            org.slf4j.LoggerFactory.getLogger(JmxBean.class).warn("no JMX bean", e);
        }
    }

    private static MBeanServer platform() throws JMException {
        for (MBeanServer server : MBeanServerFactory.findMBeanServer(null)) {
            if (server.isRegistered(new ObjectName(PLATFORM))) {
                return server;
            }
        }
        return null;
    }

    private static long sum(Map<String, Long> byFabric) {
        return byFabric.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * The bean.
     *
     * @param snapshot gives the present numbers
     */
    record Live(Supplier<SwitchReport> snapshot) implements SwitchMXBean {
        @Override
        public String getReport() {
            return Report.json(snapshot.get(), null);
        }

        @Override
        public long getOffloaded() {
            return sum(snapshot.get().offloaded());
        }

        @Override
        public long getKernelByPolicy() {
            return snapshot.get().kernelPolicy();
        }

        @Override
        public long getKernelByFallback() {
            return snapshot.get().kernelFallback();
        }

        @Override
        public long getAcceptedOffloaded() {
            return sum(snapshot.get().acceptedOffloaded());
        }

        @Override
        public long getAcceptedKernel() {
            return snapshot.get().acceptedKernel();
        }

        @Override
        public long getMoved() {
            return snapshot.get().moved().connections();
        }

        @Override
        public long getBytesRead() {
            return snapshot.get().bytesRead();
        }

        @Override
        public long getBytesWritten() {
            return snapshot.get().bytesWritten();
        }
    }
}

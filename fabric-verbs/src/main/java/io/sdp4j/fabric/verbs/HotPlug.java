package io.sdp4j.fabric.verbs;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.NetlinkSocket;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Watches devices that are added and removed, and changes of addresses, as the kernel announces
 * them (uevents, rtnetlink). Stateless.
 *
 * <p>Drivers that can take a device from its users say so through the device and the connection
 * manager. Others, such as soft-RoCE and soft-iWARP of Linux 6.1, remove the files that name the
 * device and then wait silently until every user has closed it.
 *
 * <p>Source: Documentation/ABI/stable/sysfs-class-infiniband; {@code ib_uverbs_remove_one} of the
 * kernel's uverbs_main.c.
 */
final class HotPlug {
    private static final int NETLINK_KOBJECT_UEVENT = 15;
    private static final int KERNEL_EVENTS = 1;
    private static final int NETLINK_ROUTE = 0;

    /** IPv4 and IPv6 (linux/rtnetlink.h). */
    private static final int ADDRESSES = 0x10 | 0x100;

    private static final String SUBSYSTEM = "SUBSYSTEM=infiniband_verbs";
    private static final Path DEVICES = Path.of("/sys/class/infiniband_verbs");

    private HotPlug() {}

    /**
     * Listens on the event thread until the result is closed.
     *
     * @param onChange told that devices may have been added or removed, with a test whether the
     *     device with a name such as {@code uverbs0} is there
     * @return does nothing where the kernel's announcements are not available
     */
    static Closeable watch(EventLoop loop, Consumer<Predicate<String>> onChange) {
        try {
            return NetlinkSocket.watch(
                    loop,
                    NETLINK_KOBJECT_UEVENT,
                    KERNEL_EVENTS,
                    datagram -> {
                        if (concernsDevices(datagram)) {
                            onChange.accept(name -> Files.exists(DEVICES.resolve(name)));
                        }
                    });
        } catch (IOException e) {
            return () -> {}; // the device itself may tell
        }
    }

    /**
     * Listens on the event thread to changes of this host's addresses until the result is closed.
     *
     * @return does nothing where the kernel's announcements are not available
     */
    static Closeable watchAddresses(EventLoop loop, Runnable onChange) {
        try {
            return NetlinkSocket.watch(loop, NETLINK_ROUTE, ADDRESSES, _ -> onChange.run());
        } catch (IOException e) {
            return () -> {}; // the device itself may tell
        }
    }

    /**
     * Whether the device with a name such as {@code uverbs0} is being removed: its contexts are
     * still usable, but the kernel waits for their end. False if this cannot be found out.
     */
    static boolean isLeaving(String devName) {
        return Files.isDirectory(DEVICES) && !Files.exists(DEVICES.resolve(devName));
    }

    /**
     * Whether a device may have been added or removed. An empty announcement says that some were
     * lost.
     */
    static boolean concernsDevices(byte[] announcement) {
        String text = new String(announcement, StandardCharsets.UTF_8);
        boolean change = text.startsWith("remove@") || text.startsWith("add@");
        return text.isEmpty() || (change && text.contains("\0" + SUBSYSTEM));
    }
}

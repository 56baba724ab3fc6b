package io.sdp4j.resolve;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A port of an RDMA device, as sysfs shows it. Constants are read once, state and GID table at each
 * question. A file that is missing or cannot be read, such as those of an empty GID entry, counts
 * as empty text. At most {@value #MAX_ENTRIES} entries of a directory are read.
 *
 * @param device its name
 * @param number 1-based
 * @param iwarp whether the device is an RNIC
 * @param linkLayer InfiniBand or Ethernet
 * @param directory the port's directory in sysfs
 */
record RdmaPort(String device, int number, boolean iwarp, String linkLayer, Path directory) {
    static final String INFINIBAND = "InfiniBand";
    private static final int MAX_ENTRIES = 4096;
    private static final int MAX_FILE_BYTES = 4096;
    private static final int ACTIVE = '4';

    /** Mask of a P_Key without the bit of full membership. */
    private static final int PARTITION = 0x7FFF;

    /** Most bytes that RoCE puts round a payload, as the kernel reckons it (rdma/ib_addr.h). */
    private static final int ROCE_OVERHEAD_BYTES = 96;

    /** IPoIB's header in front of a datagram (RFC 4391). */
    private static final int IPOIB_HEADER_BYTES = 4;

    private static final int SMALLEST_MTU = 256;
    private static final int LARGEST_MTU = 4096;

    private static final Pattern P_KEY = Pattern.compile("0x[0-9a-fA-F]{1,4}");

    /** The ports of all devices, by device name and number. */
    static List<RdmaPort> all(Path root) {
        List<RdmaPort> all = new ArrayList<>();
        for (String device : names(root)) {
            Path directory = root.resolve(device);
            boolean iwarp = text(directory.resolve("node_type")).startsWith("4");
            for (int number : numbers(directory.resolve("ports"))) {
                Path port = directory.resolve("ports").resolve(Integer.toString(number));
                String link = text(port.resolve("link_layer"));
                all.add(new RdmaPort(device, number, iwarp, link, port));
            }
        }
        return all;
    }

    boolean isInfiniBand() {
        return linkLayer.equals(INFINIBAND);
    }

    /**
     * Whether the connection manager serves the device. Other node types have no reliable
     * connections (usNIC, EFA) or no verbs for programs (switches, routers).
     */
    boolean connects() {
        String type = text(deviceDirectory().resolve("node_type"));
        return type.isEmpty() || type.startsWith("1:") || type.startsWith("4:");
    }

    String rate() {
        return text(directory.resolve("rate"));
    }

    String firmware() {
        return text(deviceDirectory().resolve("fw_ver"));
    }

    private Path deviceDirectory() {
        return directory.resolve("../..");
    }

    /** Returns the state in sysfs's words, without the number: ACTIVE, DOWN, INIT and so on. */
    String state() {
        String state = text(directory.resolve("state"));
        return state.substring(state.indexOf(':') + 1).strip();
    }

    boolean isActive() {
        // called at each connect, so it makes as few system calls as possible
        try (FileInputStream in = new FileInputStream(directory.resolve("state").toString())) {
            return in.read() == ACTIVE;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the entries of the GID table that are not empty, in order. */
    List<Gid> gids() {
        List<Gid> gids = new ArrayList<>();
        for (int index : numbers(directory.resolve("gids"))) {
            String name = Integer.toString(index);
            byte[] bytes = Gid.parse(text(directory.resolve("gids").resolve(name)));
            if (bytes != null) {
                Path attributes = directory.resolve("gid_attrs");
                gids.add(
                        new Gid(
                                index,
                                bytes,
                                text(attributes.resolve("types").resolve(name)),
                                text(attributes.resolve("ndevs").resolve(name))));
            }
        }
        return gids;
    }

    /**
     * Whether the subnet manager has put the port into the partition of a P_Key, as a full or
     * limited member. Stops at the first match, which is nearly always the first entry. True if
     * sysfs does not say.
     */
    boolean isIn(int pKey) {
        Path table = directory.resolve("pkeys");
        for (int index = 0; index < MAX_ENTRIES; index++) {
            String entry = text(table.resolve(Integer.toString(index)));
            if (!P_KEY.matcher(entry).matches()) {
                return index == 0 && entry.isEmpty();
            }
            int found = Integer.parseInt(entry.substring(2), 16);
            if (found != 0 && ((found ^ pKey) & PARTITION) == 0) {
                return true;
            }
        }
        return false;
    }

    String transport(Gid gid) {
        return iwarp ? "iWARP" : isInfiniBand() ? INFINIBAND : gid.isV2() ? "RoCE v2" : "RoCE v1";
    }

    /**
     * The largest packet over an interface: a power of two from 256 to 4096; 0 on iWARP, where TCP
     * cuts segments, and on IPoIB in connected mode, whose interface does not tell.
     */
    int mtuBytes(InterfaceInfo link) {
        int bytes = link.mtuBytes() + (isInfiniBand() ? IPOIB_HEADER_BYTES : -ROCE_OVERHEAD_BYTES);
        if (iwarp || bytes < SMALLEST_MTU || (isInfiniBand() && bytes > LARGEST_MTU)) {
            return 0;
        }
        return Math.min(LARGEST_MTU, Integer.highestOneBit(bytes));
    }

    private static List<Integer> numbers(Path directory) {
        return names(directory).stream()
                .filter(name -> name.matches("[0-9]{1,5}"))
                .map(Integer::valueOf)
                .sorted()
                .toList();
    }

    /**
     * Returns the sorted names in a directory such as {@code /sys/class/infiniband}; empty if it
     * cannot be read.
     */
    static List<String> names(Path directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (names.size() == MAX_ENTRIES) {
                    break;
                }
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (IOException | DirectoryIteratorException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }

    private static String text(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            String all = new String(in.readNBytes(MAX_FILE_BYTES), StandardCharsets.UTF_8);
            return all.strip();
        } catch (IOException e) {
            return "";
        }
    }
}

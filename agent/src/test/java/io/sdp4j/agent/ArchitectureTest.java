package io.sdp4j.agent;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: dependencies point as ARCHITECTURE.md draws them. Method: compares the compiled module
 * descriptors and the build files with the list of arrows; one more is as wrong as one turned
 * round.
 */
class ArchitectureTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final int MAP_WORDS = 2_500;

    /** A class in text: two words at least, each with a capital; what follows a dot is a method. */
    private static final Pattern CLASS_NAME =
            Pattern.compile(
                    "`(?:[a-z.0-9]+\\.)?([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:\\.\\w+)?`");

    /** Names that texts may use beside those of the code. */
    private static final Set<String> OTHERS =
            Set.of(
                    "FreqInlineSize",
                    "GuardedStream", // was removed
                    "HttpClient",
                    "HttpServer",
                    "InetAddress",
                    "InternalError",
                    "LoggerFactory",
                    "MemorySegment",
                    "MethodHandle",
                    "ModuleLayer",
                    "NativeEntryPoint",
                    "ProxySelector",
                    "ReentrantLock",
                    "SelChImpl",
                    "ServerSocket",
                    "ServerSocketChannel",
                    "SocketChannel",
                    "SocketImpl");

    /** Folder, then what the module may require beside java.base. */
    private static final Map<String, Set<String>> ALLOWED =
            Map.ofEntries(
                    // annotations, for compilers alone
                    entry("api", Set.of("org.jspecify")),
                    entry("policy-config", Set.of()),
                    entry("sdp-wire", Set.of()),
                    entry("ipoib-resolver", Set.of()),
                    entry("linux", Set.of()),
                    entry("fabric", Set.of()),
                    entry(
                            "fabric-shm",
                            Set.of("io.sdp4j.fabric", "io.sdp4j.linux", "io.sdp4j.policy")),
                    entry(
                            "fabric-verbs",
                            Set.of("io.sdp4j.fabric", "io.sdp4j.linux", "io.sdp4j.policy")),
                    entry("offload-switch", Set.of("io.sdp4j.api", "io.sdp4j.policy", "org.slf4j")),
                    entry(
                            "sdp-provider",
                            Set.of(
                                    "io.sdp4j.api",
                                    "io.sdp4j.fabric",
                                    "io.sdp4j.fabric.shm",
                                    "io.sdp4j.fabric.verbs",
                                    "io.sdp4j.linux",
                                    "io.sdp4j.offload",
                                    "io.sdp4j.policy",
                                    "io.sdp4j.resolve",
                                    "io.sdp4j.wire",
                                    "org.slf4j")),
                    entry(
                            "agent",
                            Set.of(
                                    "io.sdp4j",
                                    "io.sdp4j.fabric.shm",
                                    "io.sdp4j.offload",
                                    "io.sdp4j.policy",
                                    "io.sdp4j.resolve",
                                    "io.sdp4j.wire",
                                    "info.picocli",
                                    "org.slf4j",
                                    "java.management",
                                    "jdk.attach")));

    /** Modules whose folder says more than their name; any other is its folder, with dots. */
    private static final Map<String, String> LONG_FOLDERS =
            Map.of(
                    "policy-config", "io.sdp4j.policy",
                    "sdp-wire", "io.sdp4j.wire",
                    "ipoib-resolver", "io.sdp4j.resolve",
                    "offload-switch", "io.sdp4j.offload",
                    "sdp-provider", "io.sdp4j");

    private static ModuleDescriptor descriptor(String folder) throws IOException {
        Path file = ROOT.resolve(folder).resolve("target/classes/module-info.class");
        try (InputStream in = Files.newInputStream(file)) {
            return ModuleDescriptor.read(in);
        }
    }

    @Test
    void modulesRequireWhatTheyMay() throws IOException {
        Map<String, Set<String>> excess = new TreeMap<>();
        for (Map.Entry<String, Set<String>> module : ALLOWED.entrySet()) {
            Set<String> required =
                    descriptor(module.getKey()).requires().stream()
                            .map(ModuleDescriptor.Requires::name)
                            .filter(name -> !name.equals("java.base"))
                            .collect(Collectors.toCollection(TreeSet::new));
            required.removeAll(module.getValue());
            if (!required.isEmpty()) {
                excess.put(module.getKey(), required);
            }
        }
        assertEquals(Map.of(), excess);
    }

    /**
     * Others may call the public API, and what plug-ins implement; the agent's own is in a layer
     * that only plug-ins see.
     */
    @Test
    void onlyTheApiAndWhatPlugInsImplementIsExportedToAll() throws IOException {
        Set<String> toAll = new TreeSet<>();
        for (String folder : ALLOWED.keySet()) {
            descriptor(folder).exports().stream()
                    .filter(exports -> !folder.equals("agent") && !exports.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .forEach(toAll::add);
        }
        assertEquals(Set.of("io.sdp4j.api", "io.sdp4j.fabric", "io.sdp4j.offload.spi"), toAll);
    }

    @Test
    void folderModuleAndPackagesAgree() throws IOException {
        Set<String> strange = new TreeSet<>();
        for (String folder : ALLOWED.keySet()) {
            String module =
                    LONG_FOLDERS.getOrDefault(folder, "io.sdp4j." + folder.replace('-', '.'));
            assertEquals(module, descriptor(folder).name());
            Path sources = ROOT.resolve(folder).resolve("src/main/java");
            try (var files = Files.walk(sources)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .map(file -> sources.relativize(file).toString().replace('/', '.'))
                        .filter(name -> !name.equals("module-info.java"))
                        .filter(name -> !name.startsWith(module + "."))
                        .forEach(strange::add);
            }
        }
        assertEquals(Set.of(), strange);
    }

    @Test
    void everyLibraryModuleIsOnTheList() throws IOException {
        Set<String> found = new TreeSet<>();
        try (var folders = Files.list(ROOT)) {
            for (Path folder : folders.toList()) {
                if (Files.exists(folder.resolve("src/main/java/module-info.java"))) {
                    found.add(String.valueOf(folder.getFileName()));
                }
            }
        }
        found.remove("bench");
        assertEquals(new TreeSet<>(ALLOWED.keySet()), found);
    }

    /** The map is short, and what it, the details and the decisions name is there. */
    @Test
    void whatTheMapNamesExists() throws IOException {
        String map = Files.readString(ROOT.resolve("ARCHITECTURE.md"));
        assertTrue(map.split("\\s+", -1).length <= MAP_WORDS, "the map is too long");
        Set<String> known = new TreeSet<>(OTHERS);
        for (String folder : ALLOWED.keySet()) {
            try (var files = Files.walk(ROOT.resolve(folder).resolve("src"))) {
                files.map(file -> String.valueOf(file.getFileName()))
                        .filter(name -> name.endsWith(".java"))
                        .forEach(name -> known.add(name.substring(0, name.length() - 5)));
            }
        }
        Set<String> missing = new TreeSet<>();
        for (Path text : mapAndDetails()) {
            Matcher names = CLASS_NAME.matcher(Files.readString(text));
            while (names.find()) {
                if (!known.contains(names.group(1))) {
                    missing.add(names.group(1) + " in " + ROOT.relativize(text));
                }
            }
        }
        assertEquals(Set.of(), missing);
    }

    private static List<Path> mapAndDetails() throws IOException {
        try (var decisions = Files.list(ROOT.resolve("docs/decisions"))) {
            return Stream.concat(
                            Stream.of("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/mechanisms.md")
                                    .map(ROOT::resolve),
                            decisions)
                    .toList();
        }
    }

    /** Goal: a thread of a dump is explained. */
    @Test
    void everyThreadIsInTheTable() throws IOException {
        String details = Files.readString(ROOT.resolve("docs/mechanisms.md"));
        Set<String> told = new TreeSet<>();
        Matcher rows = Pattern.compile("(?m)^\\| `sdp4j-([a-z]+)` \\|").matcher(details);
        while (rows.find()) {
            told.add(rows.group(1));
        }
        Pattern name = Pattern.compile("(?<!Mapping\\.create\\()\"sdp4j-([a-z]+)\"");
        Set<String> named = new TreeSet<>();
        for (String folder : ALLOWED.keySet()) {
            for (Path file : sources(folder, false)) {
                Matcher names = name.matcher(Files.readString(file));
                while (!file.toString().contains("/cli/") && names.find()) {
                    named.add(names.group(1));
                }
            }
        }
        assertEquals(named, told);
    }

    @Test
    void noModuleNeedsAgentOrBench() throws IOException {
        for (String folder : ALLOWED.keySet()) {
            if (!folder.equals("agent")) {
                assertFalse(ownDependencies(folder).contains("agent"), folder);
            }
            assertFalse(ownDependencies(folder).contains("bench"), folder);
        }
        assertFalse(ownDependencies("bench").contains("agent"));
    }

    @Test
    void samplesKnowNothingOfUs() throws IOException {
        assertEquals(Set.of(), ownDependencies("samples"));
        try (var files = Files.walk(ROOT.resolve("samples/src/main"))) {
            for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                List<String> foreign =
                        Files.readAllLines(file).stream()
                                .filter(line -> line.startsWith("import io.sdp4j."))
                                .filter(line -> !line.startsWith("import io.sdp4j.samples."))
                                .toList();
                assertTrue(foreign.isEmpty(), file + " " + foreign);
            }
        }
    }

    /**
     * Code that removes files: those found in a directory only {@code PrivateDirectory}, which
     * looks first; otherwise a file or folder that the same method has just made.
     */
    @Test
    void filesAreRemovedInKnownPlacesOnly() throws IOException {
        Set<String> places =
                Set.of(
                        "DirectoryFd",
                        "Linux",
                        // drafts, reports and rules of their own
                        "DemoCommand",
                        "NewFile",
                        "Report",
                        "SelfTestCheck",
                        "StreamRun",
                        "TraceWriter");
        Pattern removal =
                Pattern.compile(
                        "Files\\.delete|deleteFile\\(|UNLINK|DELETE_ON_CLOSE|\\.delete(OnExit)?\\(\\)");
        Set<String> found = new TreeSet<>();
        for (String folder : ALLOWED.keySet()) {
            for (Path file : sources(folder, false)) {
                if (removal.matcher(Files.readString(file)).find()) {
                    found.add(String.valueOf(file.getFileName()).replace(".java", ""));
                }
            }
        }
        assertEquals(new TreeSet<>(places), found);
    }

    @Test
    void nothingReadsAnotherProcess() throws IOException {
        Pattern reads = Pattern.compile("(?i)process_vm_|ptrace|pidfd_getfd|\"mem\"|/mem\"");
        Set<String> found = new TreeSet<>();
        for (String folder : ALLOWED.keySet()) {
            for (Path file : sources(folder, false)) {
                if (reads.matcher(Files.readString(file)).find()) {
                    found.add(file.toString());
                }
            }
        }
        assertEquals(Set.of(), found);
    }

    /** Each attack names a test that holds its answer, and that test is there. */
    @Test
    void everyAttackHasItsTest() throws IOException {
        Map<String, String> tests = new TreeMap<>();
        for (String folder : ALLOWED.keySet()) {
            for (Path file : sources(folder, true)) {
                String name = String.valueOf(file.getFileName()).replace(".java", "");
                tests.put(name, Files.readString(file));
            }
        }
        String text = Files.readString(ROOT.resolve("docs/security.md"));
        String attacks = text.split("## Attacks and answers", -1)[1].split("\n## ", -1)[0];
        List<String> rows = attacks.lines().filter(line -> line.startsWith("| ")).skip(1).toList();
        assertTrue(rows.size() > 20, "rows " + rows.size());
        assertEquals(List.of(), rows.stream().filter(row -> !hasItsTest(row, tests)).toList());
        assertFalse(hasItsTest("| an attack | an answer | |", tests));
        assertFalse(hasItsTest("| an attack | an answer | `ArchitectureTest` |", tests));
        assertFalse(hasItsTest("| an attack | an answer | `ArchitectureTest.no` |", tests));
    }

    private static boolean hasItsTest(String row, Map<String, String> tests) {
        String[] cells = row.split(" \\| ?", -1);
        String named = cells[cells.length - 2];
        Matcher one = Pattern.compile("`(\\w+)\\.(\\w+)`").matcher(named);
        int found = 0;
        while (one.find()) {
            String test = tests.getOrDefault(one.group(1), "");
            int at = test.indexOf("void " + one.group(2) + "(");
            int before = test.lastIndexOf("\n    }\n", at);
            if (at < 0 || !test.substring(Math.max(before, 0), at).contains("Test\n")) {
                return false; // there is no such method, or it has no annotation
            }
            found++;
        }
        return found > 0 && one.replaceAll("").replaceAll("[\\s,|]", "").isEmpty();
    }

    private static List<Path> sources(String folder, boolean tests) throws IOException {
        try (var files = Files.walk(ROOT.resolve(folder).resolve("src"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/test/") == tests)
                    .toList();
        }
    }

    /** Artifacts of ours that a build file names as dependencies outside tests. */
    private static Set<String> ownDependencies(String folder) throws IOException {
        String pom = Files.readString(ROOT.resolve(folder).resolve("pom.xml"));
        Set<String> found = new TreeSet<>();
        for (String dependency : pom.split("<dependency>", -1)) {
            String text = dependency.split("</dependency>", 2)[0];
            if (text.contains("<groupId>io.sdp4j</groupId>")
                    && !text.contains("<scope>test</scope>")
                    && !text.contains("<parent>")) {
                found.add(text.replaceFirst("(?s).*<artifactId>(.*?)</artifactId>.*", "$1"));
            }
        }
        return found;
    }
}

package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.reflect.AccessFlag;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The module decides and does nothing: its class files name no thread, lock, clock, socket or log.
 */
class PurityTest {
    /** Everything a class file of this module may refer to outside its package. */
    private static final Set<String> ALLOWED_CLASSES =
            Set.of(
                    "java/lang/Object",
                    "java/lang/String",
                    "java/lang/StringBuilder",
                    "java/lang/Integer",
                    "java/lang/Long",
                    "java/lang/Math",
                    "java/lang/Enum",
                    "java/lang/Record",
                    "java/lang/Class",
                    "java/lang/AssertionError",
                    "java/lang/MatchException",
                    "java/lang/NoSuchFieldError",
                    "java/lang/IllegalArgumentException",
                    "java/lang/invoke/MethodHandles",
                    "java/lang/invoke/MethodHandles$Lookup",
                    "java/lang/invoke/StringConcatFactory",
                    "java/lang/runtime/ObjectMethods",
                    "java/lang/foreign/MemorySegment",
                    "java/lang/foreign/ValueLayout",
                    "java/nio/ByteOrder",
                    "java/util/Arrays");

    /** Copying or looking at payload in bulk is the shell's work. */
    private static final Set<String> FORBIDDEN_MEMBERS =
            Set.of("copy", "copyFrom", "fill", "asSlice", "toArray", "asByteBuffer", "mismatch");

    /** The numbers of set-up messages, and no others, are read and written by a buffer. */
    private static final Set<String> NUMBERS =
            Set.of(
                    "io/sdp4j/wire/Wire calls MemorySegment.asByteBuffer",
                    "io/sdp4j/wire/Wire refers to java/nio/ByteBuffer");

    @Test
    void theModuleIsPure() throws IOException, URISyntaxException {
        Path classes =
                Path.of(
                        SdpMachine.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        List<Path> files;
        try (Stream<Path> walk = Files.walk(classes)) {
            files =
                    walk.filter(
                                    f ->
                                            f.toString().endsWith(".class")
                                                    && !f.endsWith("module-info.class"))
                            .toList();
        }
        assertTrue(files.size() > 20, "found only " + files);
        Set<String> offences = new TreeSet<>();
        for (Path file : files) {
            inspect(ClassFile.of().parse(file), offences);
        }
        assertEquals(NUMBERS, offences);
    }

    /** The test can fail: this very class does what is forbidden. */
    @Test
    void impurityIsFound() throws IOException, URISyntaxException {
        Path file = Path.of(Impure.class.getResource("PurityTest$Impure.class").toURI());
        Set<String> offences = new TreeSet<>();
        inspect(ClassFile.of().parse(file), offences);
        String all = offences.toString();
        assertTrue(all.contains("monitor"), all);
        assertTrue(all.contains("java/lang/System"), all);
        assertTrue(all.contains("java/lang/Thread"), all);
        assertTrue(all.contains("synchronized"), all);
    }

    static final class Impure {
        private long last;

        synchronized void tick() {
            last = System.nanoTime();
            Thread.onSpinWait();
        }

        long tock() {
            synchronized (this) {
                return last;
            }
        }
    }

    private static void inspect(ClassModel model, Set<String> offences) {
        String name = model.thisClass().asInternalName();
        for (PoolEntry entry : model.constantPool()) {
            if (entry instanceof ClassEntry c && !allowed(c.asInternalName())) {
                offences.add(name + " refers to " + c.asInternalName());
            } else if (entry instanceof MemberRefEntry m
                    && m.owner().asInternalName().equals("java/lang/foreign/MemorySegment")
                    && FORBIDDEN_MEMBERS.contains(m.name().stringValue())) {
                offences.add(name + " calls MemorySegment." + m.name());
            }
        }
        model.methods()
                .forEach(
                        method -> {
                            if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
                                offences.add(name + "." + method.methodName() + " is synchronized");
                            }
                            method.code()
                                    .ifPresent(
                                            code ->
                                                    code.forEach(
                                                            element -> {
                                                                if (element
                                                                                instanceof
                                                                                MonitorInstruction i
                                                                        && i.opcode()
                                                                                == Opcode
                                                                                        .MONITORENTER) {
                                                                    offences.add(
                                                                            name
                                                                                    + " has a monitor");
                                                                }
                                                            }));
                        });
        model.fields()
                .forEach(
                        field -> {
                            if (field.flags().has(AccessFlag.VOLATILE)) {
                                offences.add(name + "." + field.fieldName() + " is volatile");
                            }
                        });
    }

    private static boolean allowed(String internalName) {
        String element = internalName.replaceFirst("^\\[+L?", "").replace(";", "");
        return element.length() == 1 // an array of numbers
                || element.startsWith("io/sdp4j/wire/")
                || element.startsWith("java/lang/foreign/ValueLayout$")
                || ALLOWED_CLASSES.contains(element);
    }
}

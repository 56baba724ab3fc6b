package io.sdp4j.agent.programs;

import java.io.IOException;
import java.util.List;
import java.util.TreeMap;

/** Uses a socket, then prints what it can see: properties, classes, packages of java.base. */
public final class Surroundings {
    private Surroundings() {}

    public static void main(String[] args) throws IOException {
        int _ = OneConnection.exchange();
        new TreeMap<>(System.getProperties())
                .forEach(
                        (k, v) -> {
                            // the JVM itself adds an agent's jar to this one
                            if (!k.equals("java.class.path")) {
                                System.out.println(k + "=" + v);
                            }
                        });
        for (String name :
                List.of(
                        "org.slf4j.Logger",
                        "picocli.CommandLine",
                        "io.sdp4j.policy.Policy",
                        "io.sdp4j.agent.Agent")) {
            System.out.println("sees " + name + ": " + sees(name));
        }
        ClassLoader loader = Surroundings.class.getClassLoader();
        System.out.println(
                "service: "
                        + loader.getResource(
                                "META-INF/services/org.slf4j.spi.SLF4JServiceProvider"));
        for (String p :
                List.of(
                        "sun.nio.ch",
                        "jdk.internal.access",
                        "jdk.internal.misc",
                        "jdk.internal.module")) {
            System.out.println(
                    "exported "
                            + p
                            + ": "
                            + Object.class
                                    .getModule()
                                    .isExported(p, Surroundings.class.getModule()));
        }
        System.out.println(
                "open java.net: "
                        + Object.class
                                .getModule()
                                .isOpen("java.net", Surroundings.class.getModule()));
    }

    private static boolean sees(String name) {
        try {
            Class.forName(name, false, Surroundings.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}

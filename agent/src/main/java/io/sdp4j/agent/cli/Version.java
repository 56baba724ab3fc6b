package io.sdp4j.agent.cli;

import java.io.IOException;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest names. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        try (JarFile jar = new JarFile(Place.agentJar().toFile())) {
            String version =
                    jar.getManifest()
                            .getMainAttributes()
                            .getValue(Attributes.Name.IMPLEMENTATION_VERSION);
            return new String[] {"sdp4j " + version};
        }
    }
}

package io.sdp4j.offload.contract;

import io.sdp4j.testing.KeyStores;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key store with one self-signed certificate, made once per JVM by the JDK's own tool. */
final class Tls {
    private static final char[] PASSWORD = KeyStores.PASSWORD.toCharArray();

    private Tls() {}

    private static final class Holder {
        static final SSLContext CONTEXT = make();
    }

    /** Trusts itself. */
    static SSLContext context() {
        return Holder.CONTEXT;
    }

    private static SSLContext make() {
        try {
            Path dir = Files.createTempDirectory("switch-tls");
            Path file = dir.resolve("keys.p12");
            try {
                KeyStores.generate(file);
                return load(file);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(dir);
            }
        } catch (IOException | GeneralSecurityException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SSLContext load(Path file) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory own =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        TrustManagerFactory trusted =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }
}

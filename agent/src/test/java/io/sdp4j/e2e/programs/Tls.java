package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS with the keys of the tests, which trust themselves. */
public final class Tls {
    static final char[] PASSWORD = "changeit".toCharArray();

    private Tls() {}

    static KeyManagerFactory keys(String file) throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(KeyStore.getInstance(Path.of(file).toFile(), PASSWORD), PASSWORD);
        return keys;
    }

    static TrustManagerFactory trust(String file) throws IOException, GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(KeyStore.getInstance(Path.of(file).toFile(), PASSWORD));
        return trust;
    }

    /** With the keys and the trust of one key store. */
    public static SSLContext context(String file) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys(file).getKeyManagers(), trust(file).getTrustManagers(), null);
        return context;
    }
}

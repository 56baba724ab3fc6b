package io.sdp4j;

import io.sdp4j.api.SdpConfig;
import io.sdp4j.api.SdpProvider;
import io.sdp4j.api.spi.SdpService;

/** The implementation that {@code io.sdp4j.api} finds. Public for the service loader alone. */
public final class ApiService implements SdpService {
    /** For the service loader. */
    public ApiService() {}

    @Override
    public SdpProvider open(SdpConfig config, boolean closeable) {
        return new ApiProvider(config, closeable);
    }
}
